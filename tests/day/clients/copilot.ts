import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Shop } from "../hook/shop.ts";
import type { ClientCall } from "../step.ts";
import { playOverAcp } from "./acp.ts";
import type { ModelCall } from "./protocols/protocol.ts";
import type { RealClient, Session } from "./real-client.ts";
import { userHooksFile } from "./user-hooks-file.ts";

const settings = (shop: Shop) => userHooksFile("copilot", shop);

/**
 * Copilot CLI with a provider of the user's own, driven over the Agent Client Protocol. Its hooks run there as at a
 * terminal, except that it refuses what a hook asks about.
 */
export const copilot: RealClient = {
  name: "copilot",
  package: { name: "@github/copilot", version: "1.0.102", program: "node_modules/.bin/copilot" },
  modes: ["yolo", "default"],
  permissive: "yolo",
  settings,
  // Its tool for files makes no folders.
  arrange: (shop) => mkdirSync(dirname(settings(shop)), { recursive: true }),
  calls,
  isRefused: (result) => /^Denied by|preToolUse hook|user rejected|permission to run/i.test(result),
  play: (session) =>
    playOverAcp(
      {
        argv: [session.program, "--acp", ...FLAGS, ...(session.mode === "yolo" ? ["--yolo"] : [])],
        environment: environmentOf(session),
      },
      session,
    ),
};

const FLAGS = ["--no-auto-update", "--no-color", "--disable-builtin-mcps"];

function environmentOf({ shop, model }: Session): Readonly<Record<string, string>> {
  return {
    ...shop.environment,
    ...{ COPILOT_OFFLINE: "true", COPILOT_MODEL: "scripted", COPILOT_PROVIDER_API_KEY: "made-up" },
    COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${model.port}/v1`,
  };
}

/** After this time a command is moved to the background, and the result has not all that it prints. */
const LONGEST_S = 300;

function calls({ tool, input }: ClientCall): readonly ModelCall[] {
  const path = input["file_path"];
  if (tool === "Bash")
    return [
      { tool: "bash", input: { command: input["command"], description: "a step", initial_wait: LONGEST_S } },
    ];
  if (tool === "Read") return [{ tool: "view", input: { path } }];
  if (tool === "Write") return [{ tool: "create", input: { path, file_text: input["content"] } }];
  if (tool === "Edit")
    return [{ tool: "edit", input: { path, old_str: input["old_string"], new_str: input["new_string"] } }];
  // With a provider of the user's own it has no tools for the web.
  return tool === "Grep" ? [{ tool: "grep", input: { pattern: input["pattern"] } }] : [];
}
