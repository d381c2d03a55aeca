import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import type { HookClientName } from "../../packages/cli/src/hooks/hook-call.ts";
import { runHook } from "../../packages/cli/src/hooks/run-hook.ts";
import { type CliBench, cliBench } from "./cli-bench.ts";
import { type Payload, payloadsOf, withInput } from "./payloads.ts";

/** A bench whose directories are those of this process. */
export function hookBench(): CliBench {
  const bench = cliBench();
  vi.stubEnv("TOOLKEEP_HOME", bench.environment.TOOLKEEP_HOME);
  vi.stubEnv("HOME", bench.home);
  return bench;
}

/** Writes a file in the user's home directory. */
export function writeHome({ home }: CliBench, path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Writes a policy for the user. */
export function writePolicy({ environment }: CliBench, text: string): void {
  const config = join(environment.TOOLKEEP_HOME, "config");
  mkdirSync(config, { recursive: true, mode: 0o700 });
  writeFileSync(join(config, "policy.yaml"), text, { mode: 0o600 });
  writeFileSync(join(config, "config.jsonc"), JSON.stringify({ policy: "policy.yaml" }), { mode: 0o600 });
}

/** The decision for a client: `none` if the hook does not decide, `blocked` if it cannot. */
export async function decisionOf(client: HookClientName, payload: Payload, bench: CliBench): Promise<string> {
  return (await verdict(client, payload, bench)).action;
}

/** The decision with its reason. */
export async function verdict(client: HookClientName, payload: Payload, { project }: CliBench) {
  const environment = { CLAUDE_PROJECT_DIR: project, GEMINI_PROJECT_DIR: project };
  // Each call has its own conversation: the taint of one would apply to the next.
  const own = { ...payload, session_id: crypto.randomUUID(), conversation_id: crypto.randomUUID() };
  const { stdout, exitCode } = await runHook({ client, text: JSON.stringify(own), environment });
  if (exitCode === 2) return { action: "blocked", text: "" };
  const answer = JSON.parse(stdout);
  const { permissionDecision } = answer.hookSpecificOutput ?? {};
  return {
    action: String(permissionDecision ?? answer.permission ?? answer.decision ?? "none"),
    text: stdout,
  };
}

/** The payload of one of the client's own tools, with only this input. */
export function ownTool(
  client: HookClientName,
  bench: CliBench,
  call: { tool: string; input: Payload },
): Payload {
  const base = payloadsOf(client, bench)["write"] as Payload;
  return { ...withInput(base, {}), tool_name: call.tool, tool_input: call.input };
}
