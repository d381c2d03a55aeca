import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientCall } from "../step.ts";
import type { ModelCall } from "./protocols/protocol.ts";
import type { RealClient, Session } from "./real-client.ts";
import { runClient } from "./run-client.ts";
import type { Texts } from "./texts.ts";

/** Codex without its own sandbox, so that commands can run in ours. It has no way to ask for a hook. */
export const codex: RealClient = {
  name: "codex",
  package: { name: "@openai/codex", version: "0.166.0", program: "node_modules/.bin/codex" },
  modes: ["danger-full-access"],
  permissive: "danger-full-access",
  settings: ({ project }) => join(project, ".codex/hooks.json"),
  calls,
  isRefused: (result) => /blocked by PreToolUse hook|rejected/i.test(result),
  async play(session) {
    const { program, shop, mode } = session;
    writeConfig(session);
    return runClient({
      argv: [
        program,
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-hook-trust",
        "-s",
        mode,
        "Continue.",
      ],
      cwd: shop.project,
      isOver: session.model.isDone,
      environment: { ...shop.environment, MADE_UP_KEY: "made-up" },
    });
  },
};

/** Hooks of a project run if the project is trusted. */
function writeConfig({ shop, model }: Session): void {
  const folder = join(shop.home, ".codex");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "config.toml"),
    `model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[feedback]
enabled = false
[otel]
exporter = "none"
[features]
apps = false
plugins = false
remote_plugin = false
plugin_discovery_prefetch = false
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:${model.port}/v1"
wire_api = "responses"
env_key = "MADE_UP_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects."${shop.project}"]
trust_level = "trusted"
`,
  );
}

/** A command that takes longer continues in the background, and what it prints is not in the result. */
const LONGEST_MS = 30_000;

function calls({ tool, input }: ClientCall, texts: Texts): readonly ModelCall[] {
  const path = String(input["file_path"]);
  const run = (cmd: unknown) => [{ tool: "exec_command", input: { cmd, yield_time_ms: LONGEST_MS } }];
  const patch = (lines: readonly string[]) => [
    {
      tool: "apply_patch",
      input: { text: ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n") },
    },
  ];
  if (tool === "Bash") return run(input["command"]);
  // It has no tools for these.
  if (tool === "Read") return run(`cat ${path}`);
  if (tool === "Grep") return run(`grep -rn ${String(input["pattern"])} src`);
  if (tool === "Write") {
    const added = String(input["content"]).replace(/\n$/, "").split("\n");
    return patch([`*** Add File: ${path}`, ...added.map((line) => `+${line}`)]);
  }
  if (tool === "Edit") {
    const [before, after] = texts.edited(path, String(input["old_string"]), String(input["new_string"]));
    return patch([`*** Update File: ${path}`, "@@", `-${before}`, `+${after}`]);
  }
  return [];
}
