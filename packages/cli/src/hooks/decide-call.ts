import { createHash, randomUUID } from "node:crypto";
import { createRegistry, type Effect, type Registry, ToolkeepError, type ToolResult } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import type { Grant } from "@toolkeep/core/ports";
import { openStore } from "@toolkeep/sqlite";
import type { Project } from "../project/read-project.ts";
import { dryRunTools } from "./dry-run-tools.ts";
import type { DryRunCall, HookCall, HookClientName, HookVerdict, RemoteHook } from "./hook-call.ts";
import { leftOutReason } from "./left-out-file.ts";
import { openConversation } from "./open-conversation.ts";
import { placedCalls } from "./placed-calls.ts";
import { type SafeForm, safeFormOf, safeFormWatchdog } from "./safe-form.ts";

export interface HookPlace {
  readonly client: HookClientName;
  readonly project: Project;
}

/**
 * Decides what a client is about to do, in a session of the client's conversation: by the pipeline itself, with
 * its policy, its taint, its count of repetitions and its journal. Nothing is executed.
 * @throws ToolkeepError `session_in_use` where another hook of the conversation does not come to an end.
 */
export async function decideCall(call: HookCall, { client, project }: HookPlace): Promise<HookVerdict> {
  const evaluated = await evaluatedCalls(call, { client, project });
  if (evaluated === "ours") return { action: "none", reason: "The gateway decides about its own tools." };
  if (evaluated.calls.length === 0) return { action: "none", reason: "It stays inside of the conversation." };
  const asked: string[] = [];
  const grants: Grant[] = [];
  const results: ToolResult[] = [];
  const safeForms = new Map<string, SafeForm>();
  const store = openStore({ path: project.storeFolder, durability: "normal" });
  try {
    const session = await openConversation(store, {
      sessionId: sessionIdOf(client, call.conversation),
      registry: evaluated.registry,
      project,
      watchdogs: [safeFormWatchdog(safeForms)],
      by: `${client} asks its own person`,
      asked: ({ reason, effects }) => asked.push(`${reason} ${whatItDoes(effects)}`.trim()),
      granted: (grant) => grants.push(grant),
    });
    if (call.remote === undefined)
      for (const one of evaluated.calls) {
        const form = await safeFormOf(session, one as DryRunCall, project.root);
        if (form !== undefined) safeForms.set(form.command, form);
      }
    for (const { tool, arguments: args } of evaluated.calls)
      results.push(await session.call({ id: randomUUID(), name: tool, arguments: args }));
    await session.close();
  } finally {
    store.close();
  }
  const [form] = safeForms.values();
  if (form !== undefined) return { action: "deny", reason: form.reason, instead: form.instead };
  const isFree = asked.length === 0 && results.every(({ ok }) => ok);
  const reason = isFree ? await leftOutReason(grants) : undefined;
  return verdictOf({ results, asked: reason === undefined ? asked : [visible(reason)], canAsk: call.canAsk });
}

interface EvaluatedCalls {
  readonly registry: Registry;
  readonly calls: readonly { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}

/** The calls that stand for it, and no other tool than they need: a server must not get a name of ours. */
async function evaluatedCalls(
  call: HookCall,
  { client, project }: HookPlace,
): Promise<EvaluatedCalls | "ours"> {
  const registry = createRegistry();
  if (call.remote === undefined) {
    for (const tool of dryRunTools()) registry.register(tool);
    return { registry, calls: await placedCalls(call, project) };
  }
  const remote = await remoteTools({ call: call.remote, client, project: project.root });
  if (remote === "ours") return "ours";
  for (const { tool, origin } of remote) {
    const error = registry.register(tool, { origin });
    if (error !== undefined || registry.get(tool.name)?.tool !== tool)
      throw new ToolkeepError(
        "invalid_option",
        "Nothing can stand in for the server's tool, so nobody can decide.",
      );
  }
  const { arguments: args } = call.remote;
  return { registry, calls: remote.map(({ tool }) => ({ tool: tool.name, arguments: args })) };
}

/** Loaded for a server's tool alone: most hooks are about the client's own. */
async function remoteTools(hook: RemoteHook) {
  const { remoteDryRunTools } = await import("./remote-dry-run-tool.ts");
  return remoteDryRunTools(hook);
}

interface Outcome {
  readonly results: readonly ToolResult[];
  /** Why a person would be asked. */
  readonly asked: readonly string[];
  readonly canAsk: boolean;
}

/** Of several things that one call does, the strictest counts. */
function verdictOf({ results, asked, canAsk }: Outcome): HookVerdict {
  const refused = results.find(({ ok }) => !ok)?.failure;
  if (refused !== undefined) {
    const hint = refused.hint === undefined ? "" : ` ${refused.hint}`;
    return { action: "deny", reason: `${refused.message}${hint}` };
  }
  const [reason] = asked;
  if (reason === undefined) return { action: "allow", reason: "The policy allows it." };
  if (canAsk) return { action: "ask", reason };
  const why = "This has to be asked, and the client cannot ask about it here";
  return { action: "deny", reason: `${why}: ${reason} To let it pass, add a rule for it to the policy.` };
}

const MOST_SHOWN = 3;
const LONGEST_SHOWN = 300;

/** For the person in the client, who may see less of the call than we do. */
function whatItDoes(effects: readonly Effect[]): string {
  const meant = effects.filter(({ implied, capability }) => implied !== true && capability !== "unknown");
  const own = [...new Set(meant.map(({ capability, target }) => `${capability} ${target}`))];
  const shown = own.slice(0, MOST_SHOWN).map((one) => one.slice(0, LONGEST_SHOWN));
  const rest = own.length > MOST_SHOWN ? `, and ${own.length - MOST_SHOWN} more` : "";
  const notes = [...new Set(meant.flatMap(({ note }) => (note === undefined ? [] : [` ${visible(note)}`])))];
  return shown.length === 0 ? "" : `(${visible(shown.join(", "))}${rest})${notes.join("")}`;
}

const PLAIN_ID = /^[\w.-]{1,100}$/;

function sessionIdOf(client: HookClientName, conversation: string): string {
  if (PLAIN_ID.test(conversation)) return `${client}.${conversation}`;
  return `${client}.${createHash("sha256").update(conversation).digest("hex")}`;
}
