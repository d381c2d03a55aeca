import { homedir } from "node:os";
import { join } from "node:path";
import { joinCommand } from "@toolkeep/core/internal";
import { type Fields, fieldsInText, isFields, textIn } from "../clients/payload.ts";
import { eachRecord, type HistoryFile, historyFiles, stemOf } from "./history-files.ts";
import {
  CallList,
  type History,
  type HistoryNotes,
  type RecordedConversation,
  timeOf,
} from "./recorded-call.ts";
import { CODEX_ITEMS, CODEX_RECORDS } from "./records-without-calls.ts";

const client = "codex";

/** Codex's `sessions/YEAR/MONTH/DAY/rollout-TIME-ID.jsonl`. */
export function codexHistory(environment: NodeJS.ProcessEnv = process.env): History {
  const home = environment["CODEX_HOME"] ?? join(homedir(), ".codex");
  return {
    client,
    async *conversations(notes, recent) {
      const isWanted = (path: string) => /(?:^|[/\\])rollout-[^/\\]*\.jsonl$/.test(path);
      for (const file of await historyFiles(join(home, "sessions"), { client, notes, isWanted, recent }))
        yield await conversationIn(file, notes);
    },
  };
}

interface Turn {
  id: string;
  folder: string | undefined;
  cwd: string | undefined;
}

async function conversationIn(file: HistoryFile, notes: HistoryNotes): Promise<RecordedConversation> {
  const calls = new CallList(client, notes);
  const turn: Turn = { id: stemOf(file.path), folder: undefined, cwd: undefined };
  await eachRecord(file, { client, notes }, (record) => {
    const type = textIn(record, "type") ?? "";
    const payload = isFields(record["payload"]) ? record["payload"] : {};
    if (type === "session_meta") turn.id = textIn(payload, "session_id", "id") ?? turn.id;
    if (type === "session_meta") turn.folder ??= textIn(payload, "cwd");
    if (type === "turn_context") turn.cwd = textIn(payload, "cwd") ?? turn.cwd;
    if (type !== "response_item") {
      if (!CODEX_RECORDS.has(type)) notes.unknown(client, type);
      // A command or a patch; a refused one has no such item.
      if (payload["type"] === "item_completed" && isFields(payload["item"]))
        calls.ran(textIn(payload["item"], "id"));
      return;
    }
    const call = toolCall(payload);
    if (call === undefined) {
      const kind = textIn(payload, "type") ?? "";
      if (!CODEX_ITEMS.has(kind)) notes.unknown(client, kind);
      return;
    }
    calls.add(textIn(payload, "call_id"), {
      at: timeOf(record["timestamp"], file.changed),
      payload: payloadOf(call, { payload, turn }),
    });
  });
  return { client, id: turn.id, folder: turn.folder ?? turn.cwd, calls: calls.inOrder() };
}

interface ToolCall {
  readonly name: string;
  readonly input: Fields;
  /** Where the model wants the command to run. */
  readonly cwd?: string | undefined;
}

/** What the client sends to `PreToolUse`. */
function payloadOf({ name, input, cwd }: ToolCall, from: { readonly payload: Fields; readonly turn: Turn }) {
  const { payload, turn } = from;
  return {
    hook_event_name: "PreToolUse",
    session_id: turn.id,
    cwd: cwd ?? turn.cwd ?? turn.folder,
    tool_use_id: payload["call_id"],
    tool_name: name,
    tool_input: input,
  };
}

/** The names and arguments that its hooks get for the tools of the model; `undefined` for an item that is no call. */
function toolCall(item: Fields): ToolCall | undefined {
  const type = textIn(item, "type");
  if (type === "local_shell_call") return shellCall(isFields(item["action"]) ? item["action"] : {});
  if (type === "custom_tool_call")
    return { name: textIn(item, "name") ?? "unnamed", input: { command: item["input"] } };
  if (type !== "function_call") return undefined;
  const name = [textIn(item, "namespace")?.replace(/__$/, "") ?? [], textIn(item, "name") ?? "unnamed"]
    .flat()
    .join("__");
  const input = fieldsInText(textIn(item, "arguments") ?? "{}") ?? {};
  if (SHELLS.has(name)) return shellCall(input);
  if (name === "apply_patch") return { name, input: { command: input["input"] ?? input["patch"] } };
  // It waits for more output of a command that was decided when it was started.
  if (name === "write_stdin" && (input["chars"] ?? "") === "") return { name: "update_plan", input: {} };
  return { name, input };
}

const SHELLS: ReadonlySet<string> = new Set(["exec_command", "shell_command", "shell", "container.exec"]);

function shellCall(input: Fields): ToolCall {
  const line = input["cmd"] ?? input["command"];
  const workdir = textIn(input, "workdir", "working_directory");
  return {
    name: "Bash",
    input: { command: Array.isArray(line) ? lineOf(line.map(String)) : line },
    ...(workdir === undefined ? {} : { cwd: workdir }),
  };
}

/** `["bash", "-lc", line]` is the line. */
function lineOf(argv: readonly string[]): string {
  const [program = "", option = "", line] = argv;
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-l?c$/.test(option);
  return isShell && line !== undefined && argv.length === 3 ? line : joinCommand(argv);
}
