import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { clientFor } from "../../clients/install-client.ts";
import type { InstallRecord, InstallTarget } from "../../clients/installed/install-record.ts";
import { hashOf } from "../../clients/installed/project-file.ts";
import { parseClientFile, valueAt } from "../../clients/json-edit.ts";
import { isUserPath, userPath } from "../../clients/user-path.ts";
import type { HookLine } from "./play-call.ts";

/** What became of the hooks of an installation. */
export interface FoundHooks {
  /** The absolute path of the file that has them. */
  readonly file: string;
  readonly state: "in-place" | "missing" | "invalid" | "changed";
  /** For changed ones: what differs, e.g. `timeout`. */
  readonly differing: readonly string[];
  /** The time-out that the file gives our hook, if it is another one than ours. */
  readonly seconds?: number;
  /** How the client starts the hook that decides. Only for hooks in place: nothing else is ever run. */
  readonly hook?: HookLine;
}

type Fields = Readonly<Record<string, unknown>>;
interface Entry {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Looks for the hooks that an installation wrote. `undefined` if the client has none. Runs nothing. */
export async function findHooks(
  record: InstallRecord,
  { files }: InstallTarget,
): Promise<FoundHooks | undefined> {
  const { client, project, own } = record;
  const { hooks } = clientFor(client, project);
  if (hooks === undefined) return undefined;
  const names = [hooks.file, hooks.formerFile];
  const recorded = record.files.find(({ path }) => names.includes(path));
  const name = recorded?.path ?? hooks.file;
  const file = isUserPath(name) ? userPath(name) : join(project, name);
  const text = (await files.read(name))?.bytes.toString("utf8");
  if (text === undefined) return { file, state: "missing", differing: [] };
  if (hooks.text !== undefined) {
    const isSame = hashOf(Buffer.from(text)) === recorded?.after.hash;
    return isSame
      ? { file, state: "in-place", differing: [], hook: wholeHook(file, text) }
      : { file, state: "changed", differing: ["text"] };
  }
  const entries: readonly Entry[] = (recorded?.edits ?? hooks.edits?.(own) ?? [])
    .filter(({ kind }) => kind === "append")
    .map(({ path, value }) => ({ path, value }));
  return { file, ...foundEntries(entries, text, file) };
}

function foundEntries(entries: readonly Entry[], text: string, file: string): Omit<FoundHooks, "file"> {
  try {
    parseClientFile(text, file);
  } catch {
    return { state: "invalid", differing: [] };
  }
  const [first] = entries;
  for (const { path, value } of entries) {
    const now = valueAt(text, path);
    const all: readonly unknown[] = Array.isArray(now) ? now : [];
    if (all.some((one) => isDeepStrictEqual(one, value))) continue;
    const near = all.find((one) => commandOf(one) === commandOf(value));
    if (near === undefined) return { state: "missing", differing: [] };
    const seconds = flat(near)["timeout"];
    return {
      state: "changed",
      differing: differences(flat(value), flat(near)),
      ...(typeof seconds === "number" ? { seconds } : {}),
    };
  }
  return {
    state: "in-place",
    differing: [],
    ...(first === undefined ? {} : { hook: shellHook(first.value) }),
  };
}

/** The fields of an entry and of its one command together. */
function flat(entry: unknown): Fields {
  const { hooks, ...fields } = (entry ?? {}) as Fields;
  return { ...fields, ...(Array.isArray(hooks) ? (hooks[0] as Fields) : {}) };
}

const commandOf = (entry: unknown) => flat(entry)["command"];

function differences(ours: Fields, now: Fields): readonly string[] {
  const names = new Set([...Object.keys(ours), ...Object.keys(now)]);
  return [...names].filter((name) => !isDeepStrictEqual(ours[name], now[name]));
}

function shellHook(entry: unknown): HookLine {
  const { command, timeout } = flat(entry);
  return { line: String(command), shell: "sh", seconds: Number(timeout) };
}

function wholeHook(file: string, text: string): HookLine {
  if (!file.endsWith(".json")) return { plugin: file, seconds: LONGEST_SECONDS };
  const { bash, timeoutSec } = (valueAt(text, ["hooks", "preToolUse"]) as readonly Fields[])[0] ?? {};
  return { line: String(bash), shell: "bash", seconds: Number(timeoutSec) };
}

const LONGEST_SECONDS = 30;
