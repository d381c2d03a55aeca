import { type PersonRequest, ToolkeepError, type ToolResult, type TurnOutcome } from "@toolkeep/core";
import { isTerminalResult } from "@toolkeep/core/formats";
import type { Message } from "@toolkeep/core/journal";
import type { LanguageModel, ToolSet } from "ai";
import type { AgentBudget } from "../options/agent-budget.ts";
import { addUsage } from "../options/agent-budget.ts";
import type { AgentEvent, EndReason } from "../options/agent-event.ts";
import type { Compact } from "../options/compact.ts";
import type { ModelReply, StepUsage } from "../options/model-reply.ts";
import type { ModelSettings } from "../options/model-settings.ts";
import type { ReceivedMessage, Steering } from "../record/steering.ts";
import type { AgentSpans } from "./agent-spans.ts";
import { askModels, type Fallback } from "./ask-models.ts";
import { withCacheMarks } from "./cache-marks.ts";
import type { Conversation } from "./conversation.ts";
import type { LoopEnd, LoopHost } from "./loop-host.ts";

/** What the loop works with. It knows neither sessions nor stores. */
export interface LoopParts {
  readonly host: LoopHost;
  readonly conversation: Conversation;
  /** The next one is asked where the one before fails. */
  readonly models: readonly LanguageModel[];
  readonly settings: ModelSettings;
  readonly system: string;
  readonly budget: AgentBudget;
  readonly signal: AbortSignal;
  readonly compact: Compact | undefined;
  /** The tools as the model gets them now. */
  tools(): ToolSet;
  /** What came of the calls of a step may change which tools the next one gets. */
  learn(results: readonly (ToolResult | undefined)[]): void;
  /** Reads calls from the text of a reply, for models without function calling. */
  readCalls(reply: ModelReply, step: number): ModelReply;
  /** The messages of the user that no turn has taken. */
  takeMessages(): Promise<readonly Message[]>;
  /** Why the run is not over although the model has nothing more to do; `undefined` if it is. */
  unfinished(): "waiting" | "left" | undefined;
  /** Which of the messages that arrived a step sees. */
  readonly steering: Pick<Steering, "deliver" | "deliverAll">;
  emit(event: AgentEvent): void;
  /** Where a question to the model is a span. */
  readonly spans: Pick<AgentSpans, "chat"> | undefined;
}

/** Where the loop starts. */
export interface LoopStart {
  readonly step: number;
  /** Of the run so far. */
  readonly usage: StepUsage;
  /** How many tokens the step before had as its input. */
  readonly inputTokens: number;
  readonly text: string;
  /** Its calls ended in an earlier life of the run, which has reported them. */
  readonly isOver: boolean;
}

/** One step of the model and its calls after the other, until the run is over or waits. */
export async function runLoop(parts: LoopParts, start: LoopStart): Promise<LoopEnd> {
  const { host, conversation, budget, steering } = parts;
  let { text, usage, inputTokens } = start;
  let messages: readonly ReceivedMessage[] = [];
  for (let n = start.step; ; n += 1) {
    const end = (reason: EndReason, step: number, requests: readonly PersonRequest[] = []): LoopEnd => ({
      ...{ reason, text, step, usage, requests },
    });
    // Before anything can end the loop: what the user said is not lost with it.
    const received = await host.receive(n, messages);
    if ((await host.nextStep(n)) === "elsewhere") return end("left", n - 1);
    const reached = budget.reached;
    if (reached !== undefined) return end(reached, n - 1);
    const emit = n === start.step && start.isOver ? () => {} : parts.emit;
    for (const said of received) {
      conversation.say(said);
      emit({ type: "message", step: n, text: said });
    }
    const reply = await step(n, { ...parts, emit }, inputTokens).catch(unlessOurs);
    if ("thrown" in reply)
      return parts.signal.aborted
        ? end("cancelled", n - 1)
        : { ...end("failed", n - 1), error: reply.thrown };
    inputTokens = reply.usage.inputTokens;
    usage = addUsage(usage, reply.usage);
    text = reply.text === "" ? text : reply.text;
    budget.step(reply.usage);
    conversation.addReply(reply);
    if (reply.calls.length > 0) {
      const outcome = await host.run(n, reply.calls);
      const ended = endAfter(outcome, parts.signal);
      if (ended !== undefined) {
        await host.receive(n + 1, steering.deliverAll(outcome.messages));
        return end(ended, n, outcome.requests);
      }
      conversation.addResults(reply.calls, outcome.results);
      parts.learn(outcome.results);
      messages = steering.deliver(outcome.messages);
      continue;
    }
    if (reply.malformed !== undefined) conversation.say(reply.malformed);
    messages = steering.deliver(await parts.takeMessages());
    if (reply.malformed === undefined && messages.length === 0) return end(parts.unfinished() ?? "done", n);
  }
}

/** Asks the model, unless the reply is known, after making the conversation shorter where that is needed. */
async function step(n: number, parts: LoopParts, inputTokens: number): Promise<ModelReply> {
  const { host, conversation, models, settings, spans, system, emit } = parts;
  const onFallback = (fallback: Fallback) => emit({ type: "fallback", step: n, ...fallback });
  const asking = { models, settings, onFallback };
  const shorter = await host.compact(n, async () =>
    parts.compact?.(conversation.messages, {
      ask: (messages) =>
        askModels({ ...asking, spans: undefined, system: "", messages, tools: {}, signal: parts.signal }),
      ...{ system, inputTokens, signal: parts.signal },
    }),
  );
  if (shorter !== undefined) {
    conversation.replace(shorter.messages);
    emit({ type: "compaction", step: n, dropped: shorter.dropped });
  }
  let isRecorded = true;
  emit({ type: "step-start", step: n });
  const reply = await host.reply(n, async (signal) => {
    isRecorded = false;
    const asked = await askModels({
      ...withCacheMarks({ system, messages: conversation.messages, tools: parts.tools() }, settings),
      ...{ ...asking, spans, signal },
      onText: (text) => emit({ type: "text", step: n, text }),
      onReasoning: (text) => emit({ type: "reasoning", step: n, text }),
    });
    return parts.readCalls(asked, n);
  });
  const { text, calls, usage, finishReason, model } = reply;
  const other = model === undefined ? {} : { model };
  emit({ ...{ type: "step-end", step: n, text, calls, usage, finishReason }, ...other, isRecorded });
  return reply;
}

/** Why the run ends with the calls of a step; `undefined` if it continues. */
function endAfter(outcome: TurnOutcome, signal: AbortSignal): EndReason | undefined {
  if (outcome.status === "waiting") return "waiting";
  if (signal.aborted) return "cancelled";
  return outcome.results.some(isTerminal) ? "terminal" : undefined;
}

/** What a provider throws ends the run in this process; a mistake of the host application is thrown on. */
function unlessOurs(thrown: unknown): { readonly thrown: unknown } {
  if (ToolkeepError.isInstance(thrown)) throw thrown;
  return { thrown };
}

/** A tool can say that the run ends here. What the runtime refuses is for the model to read. */
function isTerminal(result: ToolResult): boolean {
  return isTerminalResult({ ...result, success: result.ok });
}
