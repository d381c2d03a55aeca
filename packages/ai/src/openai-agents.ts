import { type FunctionTool, tool as functionTool, type Tool as OpenAiTool, RunContext } from "@openai/agents";
import { type JsonSchema, type Session, type Tool, type ToolContext, ToolFailure } from "@toolkeep/core";
import { modelText, openai } from "@toolkeep/core/formats";
import { memoryPending, type PendingArguments } from "@toolkeep/core/journal";
import type { Watchdog } from "@toolkeep/core/policy";
import { proposeCall } from "./ask-for-call.ts";
import { type CallQueue, claimOf, inputKey, newCallQueue } from "./call-queue.ts";
import { readCall, turnOf } from "./call-record.ts";
import type { ToolDeclaration, UngovernedTool } from "./declaration.ts";
import { defineForeign } from "./define-foreign.ts";
import { runCall } from "./run-call.ts";
import { runForeignTool } from "./run-foreign-tool.ts";
import { bindingError } from "./verify-approval.ts";

export interface FromOpenAiAgentsOptions {
  readonly tools?: Readonly<Record<string, ToolDeclaration>>;
  /** What the tools are given as their run context. */
  readonly context?: unknown;
}

export interface FromOpenAiAgents {
  /** Register them with the origin `{ layer: "code", source: "ai-sdk" }`. */
  readonly tools: readonly Tool[];
  /** Asks where a tool's own `needsApproval` wants it, and denies what its `isEnabled` switches off. Give it to the policy. */
  readonly watchdog: Watchdog;
  readonly ungoverned: readonly UngovernedTool[];
}

/** Makes function tools of OpenAI Agents ours. Hosted tools run elsewhere and are named in `ungoverned`. */
export async function fromOpenAiAgents(
  given: readonly OpenAiTool[],
  options: FromOpenAiAgentsOptions = {},
): Promise<FromOpenAiAgents> {
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
              why: `It is a tool of the kind ${one.type}, which does not run as a function here.`,
            },
          ],
    ),
  };
}

/** What the library answers in the place of a tool that threw, where the tool has no words of its own for that. */
const THREW = "An error occurred while running the tool. Please try again.";
const SWITCHED_OFF = "Its own `isEnabled` switches the tool off.";

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

/** There is no agent here; a function that cannot do without one has not said yes. */
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
      return { action: "ask", reason: "The tool itself wants to be approved." };
    },
  };
}

/**
 * The tools of a session as function tools: every call goes through the session, and what asks interrupts the run.
 * Give the session `sdkApprover`. `state.approve` counts for the call that was asked for, with its arguments, once.
 */
export function toOpenAiAgents(
  session: Session,
  options: { readonly pending?: PendingArguments } = {},
): FunctionTool[] {
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
        return shown.isTurnedDown && isAlwaysApproved(name, context)
          ? `${shown.text} ${NOT_ALWAYS}`
          : shown.text;
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
  // Without an id nothing can be asked for; it is refused when it is executed.
  if (callId === undefined) return false;
  const record = await readCall(session.journal, await turnOf(callId), callId);
  if (record.state !== "unknown") return record.state === "waiting";
  const call = { toolName: name, toolCallId: callId, input, messages: [] };
  const status = await proposeCall(call, session, queue);
  if (typeof status === "object" && status.type === "denied") queue.early.add(await claimOf(call));
  return typeof status === "object" && status.type === "user-approval";
}

async function textOf(
  { name, input, callId }: AgentCall,
  session: Session,
  { queue, signal }: { readonly queue: CallQueue; readonly signal: AbortSignal | undefined },
): Promise<{ readonly text: string; readonly isTurnedDown: boolean }> {
  if (callId === undefined)
    throw new ToolFailure("invalid_call", "The call has no id, so it cannot be governed.");
  const call = { toolName: name, toolCallId: callId, input, messages: [] };
  const record = await readCall(session.journal, await turnOf(callId), callId);
  if (record.state === "waiting") {
    const asked = await queue.pending.get(await inputKey(session, callId));
    const error = bindingError(call, record, asked);
    if (error !== undefined) return { text: error, isTurnedDown: false };
    queue.verified.set(await claimOf(call), "run state");
  }
  const result = await runCall(call, queue, { signal });
  return { text: modelText(result), isTurnedDown: result.failure?.code === "denied" };
}

const NOT_ALWAYS =
  "An approval for always does not count here: whoever runs the agent has to approve each call of this tool.";

/** Asked about a call that nobody made, the library says yes only to a tool that was approved for always. */
function isAlwaysApproved(toolName: string, context: RunContext | undefined): boolean {
  return context?.isToolApproved({ toolName, callId: crypto.randomUUID() }) === true;
}
