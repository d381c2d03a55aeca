import { createHash, randomUUID } from "node:crypto";
import {
  type ApprovalRequest,
  createRegistry,
  type Effect,
  type Registry,
  ToolkeepError,
  type ToolResult,
} from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import type { Explanation } from "@toolkeep/core/policy";
import { openStore } from "@toolkeep/sqlite";
import { confined } from "../exec/confinement.ts";
import { policyAdvice } from "../project/policy-advice.ts";
import type { Project } from "../project/read-project.ts";
import { dryRunTools } from "./dry-run-tools.ts";
import {
  type DryRunCall,
  delegationTo,
  type Environment,
  type HookCall,
  type HookClientName,
  type HookVerdict,
  type RemoteHook,
} from "./hook-call.ts";
import { openConversation } from "./open-conversation.ts";
import { RefusedCalls } from "./refused-calls.ts";
import { resolvedCalls } from "./resolved-calls.ts";

export interface HookContext {
  readonly client: HookClientName;
  readonly project: Project;
  /** Replaces the policy files of the configuration. */
  readonly policyFile?: string | undefined;
  /** The environment of the client. */
  readonly environment?: Environment;
}

/**
 * Decides about a call of a client in the session of its conversation. The call goes through the whole pipeline, with
 * policy, taint, loop detection and journal, but nothing is executed.
 * @throws ToolkeepError `session_in_use` if another hook of the conversation does not finish.
 */
export async function decideCall(call: HookCall, context: HookContext): Promise<HookVerdict> {
  const { client, project } = context;
  const sessionId = sessionIdOf(client, call.conversation);
  const inSandbox = await confined(call, { ...context, sessionId });
  if (inSandbox !== undefined) return inSandbox;
  const evaluated = await evaluatedCalls(call, { client, project });
  if (evaluated === "ours") return { action: "none", reason: "The gateway decides about this tool." };
  if (evaluated.calls.length === 0)
    return { action: "none", reason: "The call has no effects outside of the conversation." };
  const asked: string[] = [];
  const results: ToolResult[] = [];
  const refused = new RefusedCalls();
  const store = openStore({ path: project.storeFolder, durability: "normal" });
  try {
    const session = await openConversation(store, {
      sessionId,
      registry: evaluated.registry,
      project,
      watchdogs: refused.watchdogs,
      by: delegationTo(client),
      asked: (request) => asked.push(question(request, project)),
    });
    const { canAsk } = call;
    const cannotAsk = (explained: Explanation) => withoutAsking(questionOf(explained, project));
    const screening = { session, root: project.root, canAsk, cannotAsk };
    const decided =
      call.remote === undefined
        ? await refused.screen(evaluated.calls as readonly DryRunCall[], screening)
        : evaluated.calls;
    for (const { tool, arguments: args } of decided)
      results.push(await session.call({ id: randomUUID(), name: tool, arguments: args }));
    await session.close();
  } finally {
    await store.close();
  }
  const { safeForm, deniedSearch } = refused;
  if (safeForm !== undefined) return { action: "deny", reason: safeForm.reason, instead: safeForm.instead };
  if (deniedSearch !== undefined) return { action: "deny", reason: deniedSearch };
  return verdictOf({ results, asked, canAsk: call.canAsk });
}

/** The danger, the rule, what the call does, and what to type so that it does not ask again. */
function question(
  request: Pick<ApprovalRequest, "reason" | "because" | "effects" | "exactRules"> &
    Partial<Pick<ApprovalRequest, "suggestions">>,
  project: Project,
): string {
  const parts = [request.reason, whatItDoes(request.effects), policyAdvice(request, project)];
  return parts.filter((part) => part !== "").join(" ");
}

function questionOf({ decision, effects, exactRules }: Explanation, project: Project): string {
  const { reason = decision.matchedBy, because } = decision;
  const known = {
    ...(because === undefined ? {} : { because }),
    ...(exactRules === undefined ? {} : { exactRules }),
  };
  return question({ reason, effects, ...known }, project);
}

function withoutAsking(reason: string): string {
  return `This call needs approval, and the client cannot ask here: ${reason}`;
}

interface EvaluatedCalls {
  readonly registry: Registry;
  readonly calls: readonly { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}

/** The dry-run calls of a hook, and only the tools that they need: a server's tool must not replace one of ours. */
async function evaluatedCalls(
  call: HookCall,
  { client, project }: HookContext,
): Promise<EvaluatedCalls | "ours"> {
  const registry = createRegistry();
  if (call.remote === undefined) {
    for (const tool of dryRunTools()) registry.register(tool);
    return { registry, calls: await resolvedCalls(call, project) };
  }
  const remote = await remoteTools({ call: call.remote, client, project: project.root });
  if (remote === "ours") return "ours";
  for (const { tool, origin } of remote) {
    const error = registry.register(tool, { origin });
    if (error !== undefined || registry.get(tool.name)?.tool !== tool)
      throw new ToolkeepError(
        "invalid_option",
        "The server's tool cannot be registered, so the call cannot be decided.",
      );
  }
  const { arguments: args } = call.remote;
  return { registry, calls: remote.map(({ tool }) => ({ tool: tool.name, arguments: args })) };
}

/** Loaded on demand, because most hooks are about the client's own tools. */
async function remoteTools(hook: RemoteHook) {
  const { remoteDryRunTools } = await import("./remote-dry-run-tool.ts");
  return remoteDryRunTools(hook);
}

interface Outcome {
  readonly results: readonly ToolResult[];
  /** The reasons to ask. */
  readonly asked: readonly string[];
  readonly canAsk: boolean;
}

/** The strictest result of all dry-run calls applies. */
function verdictOf({ results, asked, canAsk }: Outcome): HookVerdict {
  const refused = results.find(({ ok }) => !ok)?.failure;
  if (refused !== undefined) {
    const hint = refused.hint === undefined ? "" : ` ${refused.hint}`;
    return { action: "deny", reason: `${refused.message}${hint}` };
  }
  const [reason] = asked;
  if (reason === undefined) return { action: "allow", reason: "The policy allows this call." };
  return canAsk ? { action: "ask", reason } : { action: "deny", reason: withoutAsking(reason) };
}

const MOST_SHOWN = 3;
const LONGEST_SHOWN = 300;

/** For the user of the client, which may show less of the call. */
function whatItDoes(effects: readonly Effect[]): string {
  const direct = effects.filter(({ implied, capability }) => implied !== true && capability !== "unknown");
  const own = [...new Set(direct.map(({ capability, target }) => `${capability} ${target}`))];
  const shown = own.slice(0, MOST_SHOWN).map((one) => one.slice(0, LONGEST_SHOWN));
  const rest = own.length > MOST_SHOWN ? `, and ${own.length - MOST_SHOWN} more` : "";
  const notes = [...new Set(direct.flatMap(({ note }) => (note === undefined ? [] : [` ${visible(note)}`])))];
  return shown.length === 0 ? "" : `(${visible(shown.join(", "))}${rest})${notes.join("")}`;
}

const PLAIN_ID = /^[\w.-]{1,100}$/;

function sessionIdOf(client: HookClientName, conversation: string): string {
  if (PLAIN_ID.test(conversation)) return `${client}.${conversation}`;
  return `${client}.${createHash("sha256").update(conversation).digest("hex")}`;
}
