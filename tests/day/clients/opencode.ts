import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Shop } from "../hook/shop.ts";
import type { ClientCall } from "../step.ts";
import { playOverAcp } from "./acp.ts";
import type { ModelCall } from "./protocols/protocol.ts";
import type { RealClient, Session } from "./real-client.ts";
import { userHooksFile } from "./user-hooks-file.ts";

/** What its user sets: nothing, so that it asks about files elsewhere alone; that everything runs; that it asks. */
const PERMISSIONS: Readonly<Record<string, unknown>> = {
  build: undefined,
  allow: "allow",
  ask: { bash: "ask", edit: "ask", webfetch: "ask" },
};

/** opencode, driven over the Agent Client Protocol, in which its plugins run as they do at a terminal. */
export const opencode: RealClient = {
  name: "opencode",
  package: {
    ...{ name: "opencode-ai", version: "1.18.33" },
    program: `node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`,
  },
  modes: ["build", "allow", "ask"],
  permissive: "allow",
  settings: (shop) => userHooksFile("opencode", shop),
  calls,
  isRefused: (result) => /^Toolkeep[ :]|rejected permission|prevents you from using/.test(result),
  play(session) {
    writeConfig(session);
    const { program, shop } = session;
    return playOverAcp({ argv: [program, "acp"], environment: environmentOf(shop) }, session);
  },
};

function environmentOf({ environment }: Shop): Readonly<Record<string, string>> {
  return {
    ...environment,
    ...{ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    ...{ OPENCODE_DISABLE_LSP_DOWNLOAD: "1", OPENCODE_DISABLE_DEFAULT_PLUGINS: "1" },
    // It installs a package for plugins when it starts.
    npm_config_offline: "true",
  };
}

function writeConfig({ shop, model, mode }: Session): void {
  const folder = join(shop.home, ".config/opencode");
  mkdirSync(folder, { recursive: true });
  const scripted = {
    npm: "@ai-sdk/openai-compatible",
    options: { baseURL: `http://127.0.0.1:${model.port}/v1`, apiKey: "made-up" },
    models: { scripted: { tool_call: true, limit: { context: 1_000_000, output: 4_000 } } },
  };
  const config = {
    ...{ model: "scripted/scripted", small_model: "scripted/scripted", share: "disabled" },
    ...{ provider: { scripted }, permission: PERMISSIONS[mode] },
  };
  writeFileSync(join(folder, "opencode.json"), JSON.stringify(config));
  // Not what it needs to undo each step.
  writeFileSync(
    join(folder, "config.json"),
    JSON.stringify({ snapshot: false, lsp: false, formatter: false }),
  );
}

function calls({ tool, input }: ClientCall): readonly ModelCall[] {
  const filePath = input["file_path"];
  if (tool === "Bash") return [{ tool: "bash", input: { command: input["command"], description: "a step" } }];
  if (tool === "Read") return [{ tool: "read", input: { filePath } }];
  if (tool === "Write") return [{ tool: "write", input: { filePath, content: input["content"] } }];
  if (tool === "Edit") {
    const [oldString, newString] = [input["old_string"], input["new_string"]];
    return [{ tool: "edit", input: { filePath, oldString, newString } }];
  }
  if (tool === "Grep") return [{ tool: "grep", input: { pattern: input["pattern"] } }];
  // What searches the web is offered to users of its own provider alone.
  return tool === "WebFetch" ? [{ tool: "webfetch", input: { url: input["url"], format: "text" } }] : [];
}
