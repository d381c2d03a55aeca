import { type FunctionTool, tool as functionTool, type Tool as OpenAiTool, RunContext } from "@openai/agents";
import {
  type JsonSchema,
  memoryPending,
  modelText,
  type PendingArguments,
  type Session,
  type Tool,
  ToolFailure,
  toOpenAiDefinition,
  type Watchdog,
} from "@toolkeep/core";
import { proposeCall } from "./ask-for-call.ts";
import { type CallDesk, inputKey, stableText } from "./call-desk.ts";
import { readCall, turnOf } from "./call-record.ts";
import type { ToolDeclaration, UngovernedTool } from "./declaration.ts";
import { defineForeign } from "./define-foreign.ts";
import { runCall } from "./run-call.ts";
import { runForeignTool } from "./run-foreign-tool.ts";

export interface FromOpenAiAgentsOptions {
  readonly tools?: Readonly<Record<string, ToolDeclaration>>;
  /** What the tools are given as their run context. */
  readonly context?: unknown;
}

export interface FromOpenAiAgents {
  /** Register them with the origin `{ layer: "code", source: "ai-sdk" }`. */
  readonly tools: readonly Tool[];
  /** Asks where a tool's own `needsApproval` wants it. Give it to the policy. */
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
      code: String(one.invoke),
      declared: options.tools?.[one.name],
      run: (args, ctx) =>
        runForeignTool(() => one.invoke(context, JSON.stringify(args), { signal: ctx.abortSignal }), ctx),
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

function ownApprovals(functions: ReadonlyMap<string, FunctionTool>, context: RunContext): Watchdog {
  return {
    name: "openai-agents",
    judge: async ({ id, found, args }) => {
      const isWanted = await functions.get(found.name)?.needsApproval(context, args as never, id);
      if (isWanted === undefined || isWanted === false) return { action: "allow" };
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
  const desk: CallDesk = {
    chat: { use: (work) => work(session) },
    pending: options.pending ?? memoryPending(),
    verdicts: undefined,
    heeded: new Map(),
    early: new Set(),
    verify: undefined,
  };
  return session.tools().map((registered) => {
    const { name, description, parameters } = toOpenAiDefinition(registered).function;
    const made = functionTool({
      name,
      description,
      parameters: parameters as never,
      strict: false,
      needsApproval: (_context, input, callId) => isAsking({ name, input, callId }, session, desk),
      execute: (input, _context, details) => {
        const callId = details?.toolCall?.callId;
        return textOf({ name, input, callId }, session, { desk, signal: details?.signal });
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
  desk: CallDesk,
): Promise<boolean> {
  // Without an id nothing can be asked for; it is refused when it is executed.
  if (callId === undefined) return false;
  const record = await readCall(session.journal, await turnOf(callId), callId);
  if (record.state !== "unknown") return record.state === "waiting";
  const call = { toolName: name, toolCallId: callId, input, messages: [] };
  const status = await proposeCall(call, session, desk);
  if (typeof status === "object" && status.type === "denied") desk.early.add(callId);
  return typeof status === "object" && status.type === "user-approval";
}

async function textOf(
  { name, input, callId }: AgentCall,
  session: Session,
  { desk, signal }: { readonly desk: CallDesk; readonly signal: AbortSignal | undefined },
): Promise<string> {
  if (callId === undefined)
    throw new ToolFailure("invalid_call", "The call has no id, so it cannot be governed.");
  const record = await readCall(session.journal, await turnOf(callId), callId);
  if (record.state === "waiting") {
    const asked = await desk.pending.get(await inputKey(session, callId));
    if (asked !== stableText(input))
      return "Denied: these are not the arguments that a person was asked about.";
    desk.heeded.set(callId, "run state");
  }
  return modelText(await runCall({ toolName: name, toolCallId: callId, input, messages: [] }, desk, signal));
}
