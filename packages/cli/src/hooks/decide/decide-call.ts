import { randomUUID } from "node:crypto";
import { createRegistry, type Registry, type Session, type SessionStore } from "@toolkeep/core";
import { invalidOption, sessionMarks } from "@toolkeep/core/internal";
import type { Watchdog } from "@toolkeep/core/policy";
import {
  delegationTo,
  type Environment,
  type HookCall,
  type HookClientName,
  type HookVerdict,
  type RemoteHook,
} from "../../clients/hook-call.ts";
import { plainId } from "../../clients/payload.ts";
import { forgetSeen, type SeenCommand } from "../../project/contain/seen-commands.ts";
import { isStateMoved } from "../../project/moved-state.ts";
import { isPausable } from "../../project/pause/paused-calls.ts";
import { activePause, type Pause, pauseName } from "../../project/pause/pauses.ts";
import type { Project } from "../../project/read-project.ts";
import { typedInput } from "../read/typed-input.ts";
import { confined, installsInSandbox, isAsking, isReplaced, seenInPlace } from "./confine/confinement.ts";
import { askedInstead, askingSince } from "./confine/dropped-answers.ts";
import { type HookStores, ONE_HOOK, throwAway } from "./conversation/hook-stores.ts";
import { openConversation } from "./conversation/open-conversation.ts";
import { resolvedCalls } from "./conversation/resolved-calls.ts";
import { isDoctorCall } from "./doctor-call.ts";
import { dryRunTools } from "./dry-run/dry-run-tools.ts";
import { question } from "./verdict/hook-question.ts";
import {
  answerContext,
  behindGateway,
  type DecidedCall,
  refusingIn,
  repeatedVerdict,
  verdictOf,
} from "./verdict/hook-verdict.ts";
import {
  type EvaluatedCall,
  type ExplainedCall,
  explanationOf,
  RefusedCalls,
} from "./verdict/refused-calls.ts";

export interface HookContext {
  readonly client: HookClientName;
  readonly project: Project;
  /** The environment of the client. */
  readonly environment?: Environment;
  /** Default: the store is opened for this decision. */
  readonly stores?: HookStores | undefined;
}

/**
 * Decides about a call of a client in the session of its conversation. The call goes through the whole pipeline, with
 * policy, taint, loop detection and journal, but nothing is executed. What is answered depends on the client's mode.
 * @throws ToolkeepError `session_in_use` if another hook of the conversation does not finish.
 */
export async function decideCall(call: HookCall, recorded: HookContext): Promise<HookVerdict> {
  const { stores: kept = ONE_HOOK } = recorded;
  const context = isDoctorCall(call) ? { ...recorded, stores: throwAway(kept) } : recorded;
  const { client, project } = context;
  const { clients } = project.config;
  if (clients !== undefined && !clients.includes(client))
    return denied(`Your administrator allows only these clients: ${clients.join(", ") || "none"}.`);
  const sessionId = sessionIdOf(client, call.conversation);
  const pause = await activePause(project);
  const confining = { ...context, sessionId, callId: idFor(call, 0) };
  const seen = pause === undefined ? await seenInPlace(call, context) : undefined;
  const inSandbox = pause === undefined && seen === undefined ? await confined(call, confining) : undefined;
  if (inSandbox !== undefined) return inSandbox;
  if (call.isRepeated === true && (await isReplaced(call, context)))
    return { action: "none", reason: "The command was decided before it was replaced." };
  const evaluated = await evaluatedCalls(call, context);
  const { stores = ONE_HOOK } = context;
  if ("refused" in evaluated) return denied(evaluated.refused);
  if ("behind" in evaluated) {
    await stores.use(project.storeFolder, (store) =>
      sharedMarks(store, { call, sessionId, client, project, name: evaluated.behind }),
    );
    return behindGateway(call, context);
  }
  if (evaluated.calls.length === 0)
    return { action: "none", reason: "The call has no effects outside of the conversation." };
  const isAsked = pause === undefined && (await isAsking(call, context));
  const verdict = await stores.use(project.storeFolder, (store) =>
    decideInConversation(store, evaluated, { ...context, call, sessionId, pause, isAsked, seen }),
  );
  if (seen !== undefined) await forgetSeen(project.root, seen);
  return isAsked ? askedInstead(verdict, call, client) : verdict;
}

function denied(reason: string): HookVerdict {
  return { action: "deny", decided: "deny", reason };
}

interface Deciding extends HookContext {
  readonly call: HookCall;
  readonly sessionId: string;
  readonly pause: Pause | undefined;
  /** Whether the client dropped an answer before. */
  readonly isAsked: boolean;
  /** What the command did when it ran contained. */
  readonly seen: SeenCommand | undefined;
}

async function decideInConversation(
  store: SessionStore,
  { registry, calls }: EvaluatedCalls,
  { call, sessionId, pause, isAsked, seen, ...context }: Deciding,
): Promise<HookVerdict> {
  const { client, project } = context;
  const refused = new RefusedCalls(await typedInput(call));
  const asking: Asking = {};
  const watchdogs = [
    ...refused.watchdogs,
    ...(isAsked ? [askingSince(client)] : []),
    ...(seen === undefined ? [] : [askingAbout(seen)]),
  ];
  const session = await openConversation(store, {
    ...{ sessionId, registry, project, watchdogs, by: delegationTo(client) },
    ...(await installsInSandbox(call, context)),
    asked: (request) => {
      asking.question = question(request, project);
      return asking.by;
    },
  });
  const explained = await explainedCalls(session, calls);
  if (call.isRepeated === true) {
    await session.leave();
    return repeatedVerdict(explained, project);
  }
  const isPaused = pause !== undefined && isPausedHook(call, explained);
  if (isPaused) asking.by = pauseName(pause);
  const isPrivate = sessionMarks(session).has("private");
  const answering = { ...(await answerContext(call, explained, context)), isPrivate };
  const screening = { session, root: project.root, ...refusingIn(answering) };
  const chosen = isPaused ? explained : await refused.screen(explained, screening);
  const decided = await decidedCalls(session, chosen, { call, asking });
  await session.close();
  if (refused.verdict !== undefined) return refused.verdict;
  return isPaused && decided.every(({ result }) => result.ok)
    ? pausedVerdict(call, pause)
    : verdictOf(decided, answering);
}

/** Asks with what the command did, and not with what it says. */
function askingAbout({ lines }: SeenCommand): Watchdog {
  const reason = `It ran contained. ${lines.join(". ")}. If you allow it, it runs without containment.`;
  return { name: "containment", evaluate: () => ({ action: "ask", reason }) };
}

/** What the policy asks about the call that is being decided. */
interface Asking {
  /** For the user of the client. */
  question?: string | undefined;
  /** The approver in the journal, if it is not the client. */
  by?: string;
}

async function explainedCalls(
  session: Session,
  calls: readonly EvaluatedCall[],
): Promise<readonly ExplainedCall[]> {
  const explained: ExplainedCall[] = [];
  for (const call of calls) explained.push({ call, explained: await explanationOf(session, call) });
  return explained;
}

/** Decides and records the calls, one after the other. */
async function decidedCalls(
  session: Session,
  chosen: readonly ExplainedCall[],
  { call, asking }: { readonly call: HookCall; readonly asking: Asking },
): Promise<readonly DecidedCall[]> {
  const decided: DecidedCall[] = [];
  for (const [index, one] of chosen.entries()) {
    asking.question = undefined;
    const { tool: name, arguments: args } = one.call;
    const result = await session.call({ id: idFor(call, index), name, arguments: args });
    decided.push({ ...one, result, asked: asking.question });
  }
  return decided;
}

interface EvaluatedCalls {
  readonly registry: Registry;
  readonly calls: readonly EvaluatedCall[];
}

/** The dry-run calls of a hook, and only the tools that they need: a server's tool must not replace one of ours. */
async function evaluatedCalls(
  call: HookCall,
  { client, project, environment }: HookContext,
): Promise<EvaluatedCalls | { readonly behind: string } | { readonly refused: string }> {
  const registry = createRegistry();
  if (call.remote === undefined) {
    for (const tool of dryRunTools()) registry.register(tool);
    return { registry, calls: await resolvedCalls(call, project) };
  }
  const { root, config } = project;
  const { servers } = config;
  const hook = {
    call: call.remote,
    client,
    project: root,
    environment,
    servers,
    isMoved: isStateMoved(project),
  };
  const remote = await remoteTools(hook);
  if ("behind" in remote || "refused" in remote) return remote;
  for (const { tool, origin } of remote) {
    const error = registry.register(tool, { origin });
    if (error !== undefined || registry.get(tool.name)?.tool !== tool)
      throw invalidOption("The server's tool cannot be registered, so the call cannot be decided.");
  }
  const { arguments: args } = call.remote;
  return { registry, calls: remote.map(({ tool }) => ({ tool: tool.name, arguments: args })) };
}

/** Loaded on demand, because most hooks are about the client's own tools. */
async function remoteTools(hook: RemoteHook) {
  const { remoteDryRunTools } = await import("./dry-run/remote-dry-run-tool.ts");
  return remoteDryRunTools(hook);
}

interface BehindGateway extends Pick<Deciding, "call" | "sessionId" | "client" | "project"> {
  readonly name: string;
}

/** The gateway decides about the call. Before the client asks its user, it was told already. */
async function sharedMarks(store: SessionStore, { call, ...hook }: BehindGateway): Promise<void> {
  if (call.remote === undefined || call.isRepeated === true) return;
  const { shareMarks } = await import("./gateway/gateway-call.ts");
  const callId = call.callId === undefined ? undefined : plainId(call.callId);
  await shareMarks(store, { ...hook, call: call.remote, callId });
}

/** The client's own id where it has one, so that the outcome that it reports finds the call. */
function idFor({ callId }: HookCall, index: number): string {
  if (callId === undefined) return randomUUID();
  return index === 0 ? plainId(callId) : `${plainId(callId)}.${index}`;
}

/** The session of a client's conversation. */
export function sessionIdOf(client: HookClientName, conversation: string): string {
  return `${client}.${plainId(conversation)}`;
}

/** Whether a pause answers a hook: something asks, nothing is denied, and everything that asks may be paused. */
function isPausedHook({ clientMode }: HookCall, calls: readonly ExplainedCall[]): boolean {
  // Where the hook has to say `allow`, it must not do so in a mode that changes nothing.
  if (!clientMode.canLeave && clientMode.isReadOnly) return false;
  const decisions = calls.map(({ explained }) => explained);
  return (
    decisions.some((one) => one?.decision.action === "ask") &&
    decisions.every((one) => one !== undefined && (one.decision.action === "allow" || isPausable(one)))
  );
}

/** The call is left to the client, with its own rules and questions. */
function pausedVerdict({ clientMode }: HookCall, { until }: Pause): HookVerdict {
  const reason = `Toolkeep is paused until ${new Date(until).toISOString()}.`;
  return { action: clientMode.canLeave ? "none" : "allow", decided: "ask", reason };
}
