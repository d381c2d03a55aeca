import { homedir } from "node:os";
import { join } from "node:path";
import { type Fields, fieldsInText, isFields, textIn } from "../clients/payload.ts";
import { historyFiles } from "./history-files.ts";
import { type OpenDatabase, openDatabase } from "./open-database.ts";
import {
  CallList,
  type History,
  type HistoryNotes,
  type RecordedConversation,
  timeOf,
} from "./recorded-call.ts";
import { OPENCODE_PARTS } from "./records-without-calls.ts";

const client = "opencode";

/** opencode's database, which has a row for each part of a message. */
export function opencodeHistory(environment: NodeJS.ProcessEnv = process.env): History {
  const data = environment["XDG_DATA_HOME"] ?? join(homedir(), ".local", "share");
  return {
    client,
    async *conversations(notes, recent) {
      const isWanted = (path: string) => /^opencode[\w-]*\.db$/.test(path);
      for (const { path, size } of await historyFiles(join(data, "opencode"), { client, notes, isWanted })) {
        if (recent !== undefined && size > LARGEST_RECENT) continue;
        const database = await openDatabase(path, { client, notes });
        if (database !== undefined) yield* conversationsIn(database, notes, recent?.since);
      }
    },
  };
}

const LARGEST_RECENT = 64_000_000;
const SESSIONS = "SELECT id, parent_id, directory FROM session ORDER BY time_created";
const PARTS =
  "SELECT id, time_created, data FROM part WHERE session_id = ? AND time_created >= ? ORDER BY id";

async function* conversationsIn(
  { database, close }: OpenDatabase,
  notes: HistoryNotes,
  since = 0,
): AsyncGenerator<RecordedConversation> {
  try {
    const sessions = database.prepare(SESSIONS).all();
    const parents = new Map(sessions.map(({ id, parent_id }) => [String(id), parent_id]));
    const parts = database.prepare(PARTS);
    const roots = Map.groupBy(sessions, ({ id }) => rootOf(String(id), parents));
    for (const [id, members] of roots) {
      const calls = new CallList(client, notes);
      for (const { id: session, directory } of members)
        for (const row of parts.iterate(String(session), since))
          addPart(row, { calls, notes, session: String(session), root: id, directory });
      const folder = members.find((one) => one["id"] === id)?.["directory"];
      yield { client, id, folder: typeof folder === "string" ? folder : undefined, calls: calls.inOrder() };
    }
  } catch {
    notes.skipped(client, "a file that cannot be read");
  } finally {
    close();
  }
}

const MOST_PARENTS = 32;

/** A subagent has a session of its own, whose parent is that of the agent that started it. */
function rootOf(id: string, parents: ReadonlyMap<string, unknown>): string {
  let root = id;
  for (let depth = 0; depth < MOST_PARENTS; depth += 1) {
    const parent = parents.get(root);
    if (typeof parent !== "string" || !parents.has(parent)) return root;
    root = parent;
  }
  return root;
}

interface PartContext {
  readonly calls: CallList;
  readonly notes: HistoryNotes;
  readonly session: string;
  readonly root: string;
  readonly directory: unknown;
}

const LONGEST_PART = 16_000_000;

function addPart(row: Fields, { calls, notes, session, root, directory }: PartContext): void {
  const { data, time_created: created } = row;
  const isTooLong = typeof data !== "string" || data.length > LONGEST_PART;
  const part = isTooLong ? undefined : fieldsInText(data);
  if (part === undefined) {
    notes.skipped(client, isTooLong ? "a line longer than 16 MB" : "a line that is not JSON");
    return;
  }
  const type = textIn(part, "type") ?? "";
  if (type !== "tool") {
    if (!OPENCODE_PARTS.has(type)) notes.unknown(client, type);
    return;
  }
  const state = isFields(part["state"]) ? part["state"] : {};
  const payload = {
    ...{ event: "tool.execute.before", sessionID: session, rootID: root, directory },
    ...{ tool: part["tool"], callID: part["callID"], args: state["input"] },
  };
  // Ids of calls are the model's own, so that two conversations may have the same.
  if (state["status"] === "completed") calls.ran(textIn(row, "id"));
  calls.add(textIn(row, "id"), { at: timeOf(created, 0), payload });
}
