import type { ToolkeepError } from "@toolkeep/core";
import { assertKnownKeys, invalidOption } from "@toolkeep/core/internal";
import type { ModelMessage } from "ai";
import type { Compact, CompactContext, Compacted } from "../agent/options/compact.ts";
import type { CompactionRecord, DroppedPart } from "./compaction-record.ts";
import { dropResults } from "./drop-results.ts";
import { callsOf, groupMessages, isOfUser, type MessageGroup } from "./message-groups.ts";
import { MessageTokens } from "./message-tokens.ts";
import { type Summary, summarize } from "./summarize.ts";

/** Options of `compaction`. */
export interface CompactionOptions {
  /** How many tokens the model can take in and write in one step: its context window. */
  readonly window: number;
  /** How many of them stay free for its reply. Default: a quarter of the window, at most 16,000. */
  readonly reply?: number;
}

/**
 * Keeps a conversation within the window of a model. Before a step that would not fit, results of tools are left out, the
 * oldest first; where that is not enough, the model writes a summary of everything but the last steps. What the user
 * said stays word for word as far as there is space. Calls stay with their results, and a call without a result is never
 * touched. The journal keeps everything, and records what was left out.
 *
 * @example
 * const agent = await createAgent({ model, tools, policy, compact: compaction({ window: 200_000 }) });
 */
export function compaction(options: CompactionOptions): Compact {
  assertKnownKeys(options, ["window", "reply"], "option of compaction");
  const { window, reply = Math.min(Math.floor(window / 4), 16_000) } = options;
  if (!(window > 0) || !(reply >= 0 && reply < window))
    throw invalidOption(
      "`window` must be the number of tokens that the model can take, and `reply` a part of it.",
    );
  let loaded: Promise<MessageTokens> | undefined;
  return async (messages, context) => {
    loaded ??= MessageTokens.load();
    const tokens = await loaded;
    const space = window - reply - aroundMessages(messages, context, tokens);
    if (tokens.ofAll(messages) <= space) return undefined;
    if (space <= 0) throw tooLong(tokens.ofAll(messages), space, window);
    return shorten(messages, { window, space, question: window - reply, tokens, ask: context.ask });
  };
}

/** What a step costs besides its messages: the prompt, the tools, and what the provider counts otherwise. */
function aroundMessages(
  messages: readonly ModelMessage[],
  { system, inputTokens }: CompactContext,
  tokens: MessageTokens,
): number {
  const prompt = tokens.ofText(system);
  // The last step saw everything before its own reply.
  const reply = messages.findLastIndex(({ role }) => role === "assistant");
  if (inputTokens === 0 || reply < 0) return prompt;
  return Math.max(prompt, inputTokens - tokens.ofAll(messages.slice(0, reply)));
}

interface Space {
  readonly window: number;
  /** What the messages of a step may have. */
  readonly space: number;
  /** What a question without prompt and tools may have. */
  readonly question: number;
  readonly tokens: MessageTokens;
  readonly ask: CompactContext["ask"];
}

/** Of the space, as much is used afterwards: the next steps need some, and each change costs the provider's cache. */
const FILLED = 0.5;
const LAST_STEPS = 0.25;
const OF_USER = 0.15;
const OF_SUMMARY = 0.15;
/** Results of so many tokens stay in the first place. */
const SMALL_RESULT = 100;
const NOTE = 40;

async function shorten(messages: readonly ModelMessage[], parts: Space): Promise<Compacted> {
  const { window, space, tokens } = parts;
  const before = tokens.ofAll(messages);
  const groups = groupMessages(messages);
  const last = firstOfLast(groups, space * LAST_STEPS, tokens);
  const [old, recent] = [groups.slice(0, last), groups.slice(last)];
  const excess = before - Math.floor(space * FILLED);
  const fewer = dropResults(old, { excess, tokens, smallest: SMALL_RESULT });
  if (fewer.saved >= excess)
    return compacted([...flat(fewer.groups), ...flat(recent)], { window, before, ...fewer }, tokens);
  const head = await summarized(flat(old), parts);
  const left = before - (head?.saved ?? 0);
  // Results of the last steps are left out only where nothing else is left.
  const tail = dropResults(recent, { excess: left - space, tokens, smallest: NOTE });
  const made = [...(head?.messages ?? flat(old)), ...flat(tail.groups)];
  if (tokens.ofAll(made) > space) throw tooLong(tokens.ofAll(made), space, window);
  const dropped = [...(head?.parts ?? []), ...tail.parts];
  const added = (head?.summary.record.tokens ?? 0) + tail.added;
  const summary = head === undefined ? {} : { summary: head.summary.record };
  return compacted(made, { window, before, parts: dropped, added, ...summary }, tokens);
}

function compacted(
  messages: readonly ModelMessage[],
  { window, before, parts, added, summary }: Omit<CompactionRecord, "after">,
  tokens: MessageTokens,
): Compacted {
  const dropped: CompactionRecord = {
    ...{ window, before, after: tokens.ofAll(messages), added, parts },
    ...(summary === undefined ? {} : { summary }),
  };
  return { messages, dropped };
}

/** Where the steps begin that stay as they are: as many as there is space for, one at least, and every pending one. */
function firstOfLast(groups: readonly MessageGroup[], space: number, tokens: MessageTokens): number {
  const pending = groups.findIndex(({ isPending }) => isPending);
  let first = groups.length;
  let used = 0;
  for (let index = groups.length - 1; index >= 0; index -= 1) {
    used += tokens.ofAll(groups[index]?.messages ?? []);
    if (used > space && first < groups.length) break;
    first = index;
  }
  return pending < 0 ? first : Math.min(first, pending);
}

interface SummarizedHead {
  readonly messages: readonly ModelMessage[];
  readonly parts: readonly DroppedPart[];
  readonly summary: Summary;
  readonly saved: number;
}

/** What the user said, as far as there is space, and a summary of the rest; `undefined` if there is no rest. */
async function summarized(
  messages: readonly ModelMessage[],
  { space, question, tokens, ask }: Space,
): Promise<SummarizedHead | undefined> {
  const said = keptOfUser(messages, space * OF_USER, tokens);
  const rest = messages.filter((message) => !said.has(message));
  if (rest.length === 0) return undefined;
  const summary = await summarize(rest, { tokens, most: question, longest: space * OF_SUMMARY, ask });
  return {
    messages: [...messages.filter((message) => said.has(message)), summary.message],
    parts: rest.map((message) => ({
      kind: "message",
      role: message.role,
      tokens: tokens.of(message),
      callIds: callIdsOf(message),
    })),
    summary,
    saved: tokens.ofAll(rest) - tokens.of(summary.message),
  };
}

/** The task first, and then the latest. */
function keptOfUser(
  messages: readonly ModelMessage[],
  space: number,
  tokens: MessageTokens,
): ReadonlySet<ModelMessage> {
  const [task, ...others] = messages.filter(isOfUser);
  const kept = new Set<ModelMessage>();
  let used = 0;
  for (const message of task === undefined ? [] : [task, ...others.toReversed()]) {
    if (used + tokens.of(message) > space) continue;
    used += tokens.of(message);
    kept.add(message);
  }
  return kept;
}

function callIdsOf(message: ModelMessage): readonly string[] {
  if (message.role !== "tool") return callsOf([message]).map(({ callId }) => callId);
  return message.content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : []));
}

function flat(groups: readonly MessageGroup[]): readonly ModelMessage[] {
  return groups.flatMap((group) => group.messages);
}

function tooLong(tokens: number, space: number, window: number): ToolkeepError {
  return invalidOption(
    `The conversation does not fit into the window of ${window} tokens: at least ${tokens} tokens of messages must stay, and besides the prompt, the tools and the reply there is space for ${Math.max(0, space)}. Use a model with a larger \`window\`, fewer tools, or a shorter message.`,
  );
}
