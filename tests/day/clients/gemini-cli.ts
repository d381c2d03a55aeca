import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import type { Shop } from "../hook/shop.ts";
import type { ClientCall } from "../step.ts";
import type { ModelCall } from "./protocols/protocol.ts";
import type { RealClient, Session } from "./real-client.ts";
import { runClient } from "./run-client.ts";

const settingsFile = ({ project }: Shop) => join(project, ".gemini/settings.json");
const personFile = ({ home }: Shop) => join(home, "person");

/**
 * Gemini CLI, driven without a terminal, where it offers commands to the model in one mode alone. There is no
 * `install` for it: the guide says what to write.
 */
export const geminiCli: RealClient = {
  name: "gemini-cli",
  package: { name: "@google/gemini-cli", version: "0.61.0", program: "node_modules/.bin/gemini" },
  modes: ["yolo"],
  permissive: "yolo",
  arrange(shop, setup) {
    if (setup !== "alone") writeJson(settingsFile(shop), hooksOf(shop));
    writeJson(join(shop.home, ".gemini/settings.json"), SETTINGS);
    writeJson(join(shop.home, ".gemini/trustedFolders.json"), { [shop.project]: "TRUST_FOLDER" });
  },
  settings: settingsFile,
  calls,
  isRefused: (result) =>
    /"error":"(?:Tool execution blocked|Tool execution denied|\[Operation Cancelled\])|Command injection detected/.test(
      result,
    ),
  async play(session) {
    const { program, shop, mode, model } = session;
    const person = await startPerson(session);
    writeFileSync(personFile(shop), person.url);
    try {
      return await runClient({
        argv: [program, "-m", "gemini-2.5-flash", "-o", "json", "--approval-mode", mode, "-p", "Continue."],
        cwd: shop.project,
        isOver: model.isDone,
        environment: {
          ...shop.environment,
          GEMINI_API_KEY: "made-up",
          GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${model.port}`,
          ...{ GEMINI_TELEMETRY_ENABLED: "false", GEMINI_CLI_NO_RELAUNCH: "true" },
        },
      });
    } finally {
      person.close();
    }
  },
};

/** Answers the questions of the hook on loopback. */
async function startPerson({ decide }: Session): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    let words = "";
    for await (const chunk of request.setEncoding("utf8")) words += String(chunk);
    response.end(decide(words) ? "yes" : "no");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const SETTINGS = {
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  security: { auth: { selectedType: "gemini-api-key" } },
  // It needs another answer of the model, and tries again for minutes if it gets none.
  model: { disableLoopDetection: true },
};

const HOOK_MS = 120_000;

function hooksOf(shop: Shop) {
  const program = join(shop.home, ".local/state/toolkeep/bin/toolkeep");
  const person = join(import.meta.dirname, "hook-person.ts");
  const line = [process.execPath, person, personFile(shop), program, "hook", "gemini-cli"];
  const command = `${line.map((arg) => `'${arg}'`).join(" ")} || exit 2`;
  const hook = { type: "command", command, timeout: HOOK_MS };
  return { hooks: { BeforeTool: [{ matcher: ".*", hooks: [hook] }] } };
}

function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value));
}

function calls({ tool, input }: ClientCall): readonly ModelCall[] {
  const { file_path, ...rest } = input;
  if (tool === "Bash")
    return [{ tool: "run_shell_command", input: { command: input["command"], description: "a step" } }];
  if (tool === "Read") return [{ tool: "read_file", input: { file_path } }];
  if (tool === "Write") return [{ tool: "write_file", input }];
  if (tool === "Edit") return [{ tool: "replace", input: { file_path, instruction: "a step", ...rest } }];
  if (tool === "Grep") return [{ tool: "grep_search", input: { pattern: input["pattern"] } }];
  if (tool === "WebFetch") return [{ tool: "web_fetch", input: { prompt: `Read ${input["url"]}` } }];
  if (tool === "WebSearch") return [{ tool: "google_web_search", input: { query: input["query"] } }];
  return [];
}
