import { homedir } from "node:os";
import { join, sep } from "node:path";
import { type Fields, isFields, textIn } from "../clients/payload.ts";
import { eachRecord, type HistoryFile, historyFiles, stemOf } from "./history-files.ts";
import {
  CallList,
  type History,
  type HistoryNotes,
  type RecordedConversation,
  timeOf,
} from "./recorded-call.ts";
import { CLAUDE_RECORDS } from "./records-without-calls.ts";

const client = "claude-code";

/** Claude Code's `projects/FOLDER/SESSION.jsonl`, with those of its subagents in a folder next to it. */
export function claudeHistory(environment: NodeJS.ProcessEnv = process.env): History {
  const home = environment["CLAUDE_CONFIG_DIR"] ?? join(homedir(), ".claude");
  return {
    client,
    async *conversations(notes, recent) {
      // The name of a folder is the path of the project, in which other characters than these are replaced.
      const first = recent?.project.replaceAll(/[^A-Za-z0-9]/g, "-") ?? "";
      const isWanted = (path: string) =>
        path.endsWith(".jsonl") && path.includes(sep) && path.startsWith(first);
      const files = await historyFiles(join(home, "projects"), { client, notes, isWanted, recent });
      const seen = new Set<string>();
      for (const [id, parts] of bySession(files)) yield await conversationIn({ id, parts, seen }, notes);
    },
  };
}

/** The file of a conversation comes before those of its subagents. */
function bySession(files: readonly HistoryFile[]): ReadonlyMap<string, readonly HistoryFile[]> {
  const sessions = new Map<string, HistoryFile[]>();
  for (const file of files) {
    const id = /([^/\\]+)[/\\]subagents[/\\]/.exec(file.path)?.[1] ?? stemOf(file.path);
    const parts = sessions.get(id) ?? [];
    if (file.path.endsWith(`${id}.jsonl`)) parts.unshift(file);
    else parts.push(file);
    sessions.set(id, parts);
  }
  return sessions;
}

interface Parts {
  readonly id: string;
  readonly parts: readonly HistoryFile[];
  /** The ids of calls of conversations before: one that was continued in another file begins with a copy of them. */
  readonly seen: Set<string>;
}

async function conversationIn(
  { id, parts, seen }: Parts,
  notes: HistoryNotes,
): Promise<RecordedConversation> {
  const calls = new CallList(client, notes);
  let folder: string | undefined;
  for (const file of parts) {
    await eachRecord(file, { client, notes }, (record) => {
      const type = textIn(record, "type") ?? "";
      folder ??= textIn(record, "cwd");
      if (type !== "assistant") {
        if (!CLAUDE_RECORDS.has(type)) notes.unknown(client, type);
        for (const result of partsOf(record, "tool_result"))
          if (result["is_error"] !== true) calls.ran(textIn(result, "tool_use_id"));
        return;
      }
      for (const use of partsOf(record, "tool_use")) {
        const callId = textIn(use, "id");
        if (callId !== undefined && seen.has(callId)) continue;
        if (callId !== undefined) seen.add(callId);
        calls.add(callId, { at: timeOf(record["timestamp"], file.changed), payload: payloadOf(record, use) });
      }
    });
  }
  return { client, id, folder, calls: calls.inOrder() };
}

function partsOf({ message }: Fields, kind: string): readonly Fields[] {
  const content = isFields(message) ? message["content"] : undefined;
  return Array.isArray(content) ? content.filter(isFields).filter(({ type }) => type === kind) : [];
}

/** What the client sends to `PreToolUse`. */
function payloadOf(record: Fields, { id, name, input }: Fields): Fields {
  return {
    hook_event_name: "PreToolUse",
    session_id: record["sessionId"],
    cwd: record["cwd"],
    tool_use_id: id,
    tool_name: name,
    tool_input: input,
  };
}
