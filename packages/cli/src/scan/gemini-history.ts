import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { type Fields, fieldsInText, isFields, textIn } from "../clients/payload.ts";
import {
  eachRecord,
  type HistoryFile,
  historyFiles,
  smallText,
  stemOf,
  withHistoryFile,
} from "./history-files.ts";
import {
  CallList,
  type History,
  type HistoryNotes,
  type RecordedConversation,
  timeOf,
} from "./recorded-call.ts";
import { GEMINI_MESSAGES } from "./records-without-calls.ts";

const client = "gemini-cli";

/**
 * Gemini CLI's `tmp/PROJECT/chats/session-TIME-ID.jsonl`: a header, messages, and changes of both. Older versions wrote
 * one object into a file that ends with `.json`.
 */
export function geminiHistory(): History {
  const home = join(homedir(), ".gemini");
  return {
    client,
    async *conversations(notes) {
      const isWanted = (path: string) => /[/\\]chats[/\\](?:.*[/\\])?session-[^/\\]*\.jsonl?$/.test(path);
      const files = await historyFiles(join(home, "tmp"), { client, notes, isWanted });
      const projects = await projectsIn(join(home, "projects.json"));
      for (const file of files) yield await conversationIn(file, { notes, projects });
    },
  };
}

/** The folders of projects that the client knows, by the names and the hashes that it has for them. */
type Projects = ReadonlyMap<string, string>;

async function projectsIn(file: string): Promise<Projects> {
  const { projects } = fieldsInText(await smallText(file)) ?? {};
  const known = new Map<string, string>();
  for (const [path, name] of Object.entries(isFields(projects) ? projects : {})) {
    known.set(String(name), path);
    known.set(createHash("sha256").update(path).digest("hex"), path);
  }
  return known;
}

interface Reading {
  readonly notes: HistoryNotes;
  readonly projects: Projects;
}

async function conversationIn(file: HistoryFile, reading: Reading): Promise<RecordedConversation> {
  const { notes } = reading;
  const calls = new CallList(client, notes);
  let id = stemOf(file.path);
  const visit = (record: Fields): void => {
    const set = isFields(record["$set"]) ? record["$set"] : {};
    id = textIn(record, "sessionId") ?? id;
    for (const list of [record["messages"], set["messages"]])
      if (Array.isArray(list)) for (const message of list.filter(isFields)) visit(message);
    const type = textIn(record, "type");
    if (type === undefined) {
      if (!("sessionId" in record || "$set" in record)) notes.unknown(client, Object.keys(record)[0] ?? "{}");
    } else if (Array.isArray(record["toolCalls"])) {
      for (const call of record["toolCalls"].filter(isFields))
        calls.add(textIn(call, "id"), {
          at: timeOf(call["timestamp"] ?? record["timestamp"], file.changed),
          payload: payloadOf(call, id),
        });
    } else if (type !== "gemini" && !GEMINI_MESSAGES.has(type)) notes.unknown(client, type);
  };
  if (file.path.endsWith(".jsonl")) await eachRecord(file, { client, notes }, visit);
  else await visitWhole(file, notes, visit);
  return { client, id, folder: await folderOf(file, reading.projects), calls: calls.inOrder() };
}

async function visitWhole(
  file: HistoryFile,
  notes: HistoryNotes,
  visit: (record: Fields) => void,
): Promise<void> {
  await withHistoryFile(file.path, { client, notes }, async (handle) => {
    const record = fieldsInText(await handle.readFile("utf8"));
    if (record === undefined) notes.skipped(client, "a line that is not JSON");
    else visit(record);
  });
}

/** The client writes the path of the project into a file next to its chats. */
async function folderOf({ path }: HistoryFile, projects: Projects): Promise<string | undefined> {
  const folder = path.slice(0, path.lastIndexOf("chats") - 1);
  const written = (await smallText(join(folder, ".project_root"))).trim();
  if (isAbsolute(written)) return written;
  return projects.get(folder.slice(dirname(folder).length + 1));
}

const OF_SERVER = /^(.+) \((.+) MCP Server\)$/;

/** What the client sends to `BeforeTool`. */
function payloadOf(call: Fields, session: string): Fields {
  const [, tool, server] = OF_SERVER.exec(textIn(call, "displayName") ?? "") ?? [];
  return {
    hook_event_name: "BeforeTool",
    session_id: session,
    tool_name: call["name"],
    tool_input: call["args"],
    ...(server === undefined ? {} : { mcp_context: { server_name: server, tool_name: tool } }),
  };
}
