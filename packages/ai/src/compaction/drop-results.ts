import type { ModelMessage, ToolModelMessage, ToolResultPart } from "ai";
import type { DroppedPart } from "./compaction-record.ts";
import { isTextResult, type MessageGroup } from "./message-groups.ts";
import type { MessageTokens } from "./message-tokens.ts";

/** Groups with fewer results. */
interface WithoutResults {
  readonly groups: readonly MessageGroup[];
  readonly parts: readonly DroppedPart[];
  /** The tokens of the notes. */
  readonly added: number;
  /** How many tokens fewer the groups have. */
  readonly saved: number;
}

interface DropOptions {
  /** How many tokens have to go. */
  readonly excess: number;
  readonly tokens: MessageTokens;
  /** Results of so many tokens stay: a note would be as long. */
  readonly smallest: number;
}

/** Replaces the results of groups with notes, the oldest first, until enough is saved. Their calls stay. */
export function dropResults(groups: readonly MessageGroup[], options: DropOptions): WithoutResults {
  const { excess, tokens, smallest } = options;
  const parts: DroppedPart[] = [];
  let added = 0;
  let saved = 0;
  const drop = (part: DroppedPart, note: number) => {
    parts.push(part);
    added += note;
    saved += part.tokens - note;
  };
  const shorter = groups.map((group): MessageGroup => {
    if (saved >= excess || group.isPending) return group;
    const messages = group.messages.map((message): ModelMessage => {
      if (saved >= excess) return message;
      if (message.role === "tool") return withoutOutputs(message);
      return isTextResult(message) ? withoutText(message) : message;
    });
    return { ...group, messages };
  });
  return { groups: shorter, parts, added, saved };

  function withoutOutputs(message: ToolModelMessage): ToolModelMessage {
    const content = message.content.map((part) => {
      if (part.type !== "tool-result" || saved >= excess) return part;
      const size = tokens.ofOutput(part);
      if (size <= smallest) return part;
      const short: ToolResultPart = { ...part, output: { type: "text", value: noteOn(part.toolName, size) } };
      drop(
        { kind: "result", role: "tool", tokens: size, callIds: [part.toolCallId] },
        tokens.ofOutput(short),
      );
      return short;
    });
    return content.some((part, index) => part !== message.content[index]) ? { ...message, content } : message;
  }

  function withoutText(message: ModelMessage): ModelMessage {
    const size = tokens.of(message);
    if (size <= smallest) return message;
    const short: ModelMessage = { role: "user", content: noteOn("the tool", size) };
    drop({ kind: "result", role: "user", tokens: size, callIds: [] }, tokens.of(short));
    return short;
  }
}

function noteOn(toolName: string, tokens: number): string {
  return `[Left out to save space: the result of ${toolName}, about ${tokens} tokens. Call the tool again if you need it.]`;
}
