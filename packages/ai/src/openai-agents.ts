import { type FunctionTool, tool as functionTool, type Tool as OpenAiTool, RunContext } from "@openai/agents";
import { type JsonSchema, type Session, type Tool, type ToolContext, ToolFailure } from "@toolkeep/core";
import { modelText, openai } from "@toolkeep/core/formats";
import { assertKnownKeys, memoryPending } from "@toolkeep/core/internal";
import type { PendingArguments } from "@toolkeep/core/journal";
import type { Watchdog } from "@toolkeep/core/policy";
import { proposeCall } from "./calls/ask-for-call.ts";
import { type CallQueue, inputKey, newCallQueue } from "./calls/call-queue.ts";
import { readCall } from "./calls/call-record.ts";
import { turnOf } from "./calls/call-turn.ts";
import { runCall } from "./calls/run-call.ts";
import { claimOf } from "./calls/sdk-call.ts";
import { bindingError } from "./calls/verify-approval.ts";
import type { ToolDeclaration, UngovernedTool } from "./foreign/foreign-tool.ts";
import { assertDeclared, defineForeign, runForeignTool } from "./foreign/foreign-tool.ts";

export { sdkApprover } from "./chat/open-chat.ts";

/** Options of `fromOpenAiAgents`. */
export interface FromOpenAiAgentsOptions {
  readonly tools?: Readonly<Record<string, ToolDeclaration>>;
  /** The run context that the tools receive. */
  readonly context?: unknown;
}

/** Tools for a session, and the watchdog that keeps their own approval settings. */
export interface FromOpenAiAgents {
  /** The tools, with their origin. */
  readonly tools: readonly Tool[];
  /** Asks where the `needsApproval` of a tool does, and denies tools that `isEnabled` disables. Add it to `watchdogs`. */
  readonly watchdog: Watchdog;
  readonly ungoverned: readonly UngovernedTool[];
}

/** Converts function tools of OpenAI Agents. Hosted tools run elsewhere and are listed in `ungoverned`. */
export async function fromOpenAiAgents(
  given: readonly OpenAiTool[],
  options: FromOpenAiAgentsOptions = {},
): Promise<FromOpenAiAgents> {
  const names = given.map(({ name }) => name);
  assertDeclared(options, names, ["tools", "context"] satisfies (keyof FromOpenAiAgentsOptions)[]);
  const context = new RunContext(options.context);
  const functions = given.filter((one): one is FunctionTool => one.type === "function");
  const made = functions.map((one) =>
    defineForeign({
      name: one.name,
      description: one.description,
      inputSchema: one.parameters as JsonSchema,
      declared: options.tools?.[one.name],
      run: (args, ctx) => runForeignTool(() => invoked(one, context, { args, ctx }), ctx),
    }),
  );
  return {
    tools: await Promise.all(made),
    watchdog: ownApprovals(new Map(functions.map((one) => [one.name, one])), context),
    ungoverned: given.flatMap((one) =>
      one.type === "function"
        ? []
        : [
            {
              name: one.name,
              why: `It is a tool of type ${one.type}, which does not run in this process.`,
            },
          ],
    ),
  };
}

/** The library returns this text for a tool that threw, unless the tool has its own error function. */
const THREW = "An error occurred while running the tool. Please try again.";
const SWITCHED_OFF = "The tool is disabled by its `isEnabled`.";

async function invoked(one: FunctionTool, context: RunContext, { args, ctx }: Invocation): Promise<unknown> {
  if (!(await isEnabled(one, context))) throw new ToolFailure("unavailable", SWITCHED_OFF);
  const answer = await one.invoke(context, JSON.stringify(args), { signal: ctx.abortSignal });
  if (answer === THREW) throw new ToolFailure("tool_failed", THREW);
  return answer;
}

interface Invocation {
  readonly args: Readonly<Record<string, unknown>>;
  readonly ctx: Pick<ToolContext, "abortSignal">;
}

/** There is no agent here; a function that throws without one is treated as disabled. */
async function isEnabled(one: FunctionTool, context: RunContext): Promise<boolean> {
  try {
    return (await one.isEnabled(context, undefined as never)) !== false;
  } catch {
    return false;
  }
}

function ownApprovals(functions: ReadonlyMap<string, FunctionTool>, context: RunContext): Watchdog {
  return {
    name: "openai-agents",
    evaluate: async ({ id, found, args }) => {
      const one = functions.get(found.name);
      if (one === undefined) return { action: "allow" };
      if (!(await isEnabled(one, context))) return { action: "deny", reason: SWITCHED_OFF };
      if ((await one.needsApproval(context, args as never, id)) === false) return { action: "allow" };
      return { action: "ask", reason: "The tool declares needsApproval." };
    },
  };
}

/**
 * Converts the tools of a session to function tools: the session governs every call, and a call that asks interrupts the
 * run. Create the session with `approver: sdkApprover`. `state.approve` is valid once, for the call and the arguments
 * of the request.
 *
 * @example
 * const session = await createSession({ tools, policy, approver: sdkApprover });
 * const agent = new Agent({ name: "assistant", tools: toOpenAiAgents(session) });
 */
export function toOpenAiAgents(
  session: Session,
  options: { readonly pending?: PendingArguments } = {},
): FunctionTool[] {
  assertKnownKeys(options, ["pending"], "option of toOpenAiAgents");
  const queue = newCallQueue({
    chat: { use: <T>(work: (session: Session) => Promise<T>) => work(session) },
    pending: options.pending ?? memoryPending(),
    verdicts: undefined,
    verify: undefined,
  });
  return session.tools().map((registered) => {
    const { name, description, parameters } = openai.definition(registered).function;
    const made = functionTool({
      name,
      description,
      parameters: parameters as never,
      strict: false,
      needsApproval: (_context, input, callId) => isAsking({ name, input, callId }, session, queue),
      execute: async (input, context, details) => {
        const callId = details?.toolCall?.callId;
        const shown = await textOf({ name, input, callId }, session, { queue, signal: details?.signal });
        return shown.isDenied && isAlwaysApproved(name, context) ? `${shown.text} ${NOT_ALWAYS}` : shown.text;
      },
    });
    return made as unknown as FunctionTool;
  });
}

interface AgentCall {
  readonly name: string;
  readonly input: unknown;
  readonly callId: string | undefined;
}

async function isAsking(
  { name, input, callId }: AgentCall,
  session: Session,
  queue: CallQueue,
): Promise<boolean> {
  // A call without an id is refused when it is executed.
  if (callId === undefined) return false;
  const record = await readCall(session.journal, await turnOf(callId), callId);
  if (record.state !== "unknown") return record.state === "waiting";
  const call = { toolName: name, toolCallId: callId, input, messages: [] };
  const proposal = await proposeCall(call, session, queue);
  if (proposal?.status === "waiting") return true;
  if (proposal !== undefined) await queue.proposals.keep(call, proposal);
  return false;
}

async function textOf(
  { name, input, callId }: AgentCall,
  session: Session,
  { queue, signal }: { readonly queue: CallQueue; readonly signal: AbortSignal | undefined },
): Promise<{ readonly text: string; readonly isDenied: boolean }> {
  if (callId === undefined)
    throw new ToolFailure("invalid_call", "The call has no id and cannot be governed.");
  const call = { toolName: name, toolCallId: callId, input, messages: [] };
  const turn = await turnOf(callId);
  const record = await readCall(session.journal, turn, callId);
  if (record.state === "waiting") {
    const asked = await queue.pending.get(inputKey(session, turn));
    const error = bindingError(call, record, asked);
    if (error !== undefined) return { text: error, isDenied: false };
    queue.verified.set(await claimOf(call), { by: "run state", turn });
  }
  const result = await runCall(call, queue, { signal });
  return { text: modelText(result), isDenied: result.failure?.code === "denied" };
}

const NOT_ALWAYS = "alwaysApprove has no effect here: each call of this tool needs its own approval.";

/** For an unknown call id, the library reports approval only for a tool that has `alwaysApprove`. */
function isAlwaysApproved(toolName: string, context: RunContext | undefined): boolean {
  return context?.isToolApproved({ toolName, callId: crypto.randomUUID() }) === true;
}
