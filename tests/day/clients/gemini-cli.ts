import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Shop } from "../hook/shop.ts";
import type { ClientCall } from "../step.ts";
import { playOverAcp } from "./acp.ts";
import type { ModelCall } from "./protocols/protocol.ts";
import type { RealClient } from "./real-client.ts";

const settingsFile = ({ project }: Shop) => join(project, ".gemini/settings.json");

/** Gemini CLI, driven over the Agent Client Protocol. There is no `install` for it: the guide says what to write. */
export const geminiCli: RealClient = {
  name: "gemini-cli",
  package: { name: "@google/gemini-cli", version: "0.61.0", program: "node_modules/.bin/gemini" },
  modes: ["yolo", "default", "auto_edit"],
  permissive: "yolo",
  // Its hook confines where the project was installed so.
  installed: "claude-code",
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
  play: (session) =>
    playOverAcp(
      {
        argv: [...[session.program, "--acp", "-m", "gemini-2.5-flash", "--approval-mode", session.mode]] as [
          string,
          ...string[],
        ],
        environment: {
          ...session.shop.environment,
          GEMINI_API_KEY: "made-up",
          GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${session.model.port}`,
          ...{ GEMINI_TELEMETRY_ENABLED: "false", GEMINI_CLI_NO_RELAUNCH: "true" },
        },
        login: "gemini-api-key",
      },
      session,
    ),
};

const SETTINGS = {
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  security: { auth: { selectedType: "gemini-api-key" } },
};

const HOOK_MS = 30_000;

function hooksOf({ home }: Shop) {
  const program = join(home, ".local/state/toolkeep/bin/toolkeep");
  const hook = { type: "command", command: `${program} hook gemini-cli || exit 2`, timeout: HOOK_MS };
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
