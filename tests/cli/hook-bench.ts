import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import type { HookClientName } from "../../packages/cli/src/hooks/hook-call.ts";
import { runHook } from "../../packages/cli/src/hooks/run-hook.ts";
import { type CliBench, cliBench } from "./cli-bench.ts";
import { type Payload, payloadsOf, withInput } from "./payloads.ts";

/** A bench whose places are the ones that this process knows. */
export function hookBench(): CliBench {
  const bench = cliBench();
  vi.stubEnv("TOOLKEEP_HOME", bench.environment.TOOLKEEP_HOME);
  vi.stubEnv("HOME", bench.home);
  return bench;
}

/** Writes a file of the user's own. */
export function writeHome({ home }: CliBench, path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Gives the user a policy. */
export function writePolicy({ environment }: CliBench, text: string): void {
  const config = join(environment.TOOLKEEP_HOME, "config");
  mkdirSync(config, { recursive: true, mode: 0o700 });
  writeFileSync(join(config, "policy.yaml"), text, { mode: 0o600 });
  writeFileSync(join(config, "config.jsonc"), JSON.stringify({ policy: "policy.yaml" }), { mode: 0o600 });
}

/** What a client is told: `none` where nothing is decided, `blocked` where nothing could be. */
export async function said(client: HookClientName, payload: Payload, bench: CliBench): Promise<string> {
  return (await verdict(client, payload, bench)).action;
}

/** The same with the reason. */
export async function verdict(client: HookClientName, payload: Payload, { project }: CliBench) {
  const environment = { CLAUDE_PROJECT_DIR: project, GEMINI_PROJECT_DIR: project };
  // Each in a conversation of its own: what one call takes in would count for the next.
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

/** The payload of a tool of the client's own, with this and no other input. */
export function ownTool(
  client: HookClientName,
  bench: CliBench,
  call: { tool: string; input: Payload },
): Payload {
  const base = payloadsOf(client, bench)["write"] as Payload;
  return { ...withInput(base, {}), tool_name: call.tool, tool_input: call.input };
}
