import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { vi } from "vitest";
import type { HookClientName } from "../../packages/cli/src/clients/hook-call.ts";
import { decideCall } from "../../packages/cli/src/hooks/decide/decide-call.ts";
import { HOOKS } from "../../packages/cli/src/hooks/read/hooks-of-clients.ts";
import { readProject } from "../../packages/cli/src/project/read-project.ts";
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

/** How the policy decides for a client, whatever is answered in its mode: `none` if there is nothing to decide. */
export async function decisionOf(client: HookClientName, payload: Payload, bench: CliBench): Promise<string> {
  return (await verdict(client, payload, bench)).action;
}

/** The same with the reason. */
export async function verdict(client: HookClientName, payload: Payload, { project }: CliBench) {
  const environment = { CLAUDE_PROJECT_DIR: project, GEMINI_PROJECT_DIR: project };
  try {
    const call = HOOKS[client].read(inOwnConversation(payload), environment);
    if (call === undefined) return { action: "none", text: "" };
    const context = { client, project: await readProject({ cwd: call.folder }) };
    const { action, decided, reason } = await decideCall(call, context);
    return { action: decided ?? action, text: reason };
  } catch {
    return { action: "blocked", text: "" };
  }
}

/** Each call has its own conversation: the taint of one would apply to the next. */
function inOwnConversation(payload: Payload): Payload {
  const id = crypto.randomUUID();
  return {
    ...payload,
    session_id: id,
    conversation_id: id,
    ...("sessionId" in payload ? { sessionId: id } : {}),
  };
}

/** The payload of one of the client's own tools, with only this input. */
export function ownTool(
  client: HookClientName,
  bench: CliBench,
  call: { tool: string; input: Payload },
): Payload {
  const base = payloadsOf(client, bench)["write"] as Payload;
  if ("toolName" in base) return { ...base, toolName: call.tool, toolArgs: call.input };
  return { ...withInput(base, {}), tool_name: call.tool, tool_input: call.input };
}
