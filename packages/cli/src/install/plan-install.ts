import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { CommandError } from "../terminal/command-error.ts";
import { ignoreText } from "./ignore-text.ts";
import { IGNORE_FILE, type InstallClient, MOVED_FILE, type OwnCommand } from "./install-client.ts";
import type { RecordedFile } from "./install-record.ts";
import { type JsonEdit, makeEdit, parseClientFile, valueAt, type WantedEdit } from "./json-edit.ts";
import { canBeRead } from "./moved-servers.ts";
import { isOurEntry } from "./own-command.ts";
import { type FoundFile, hashOf, type ProjectFiles } from "./project-file.ts";

/** A file after the installation. */
interface PlannedFile extends RecordedFile {
  readonly textBefore: string;
  readonly textAfter: string;
}

export interface InstallPlan {
  readonly files: readonly PlannedFile[];
  /** The servers that move behind the gateway, as they are written. */
  readonly moved: ReadonlyMap<string, unknown>;
  /** The servers that do not move, and why. */
  readonly notes: readonly string[];
  readonly folders: readonly string[];
}

export interface PlanOptions {
  readonly client: InstallClient;
  readonly own: OwnCommand;
  /** One entry for all servers. */
  readonly single: boolean;
}

/** The source of the files that would be changed. */
export type PlanSource = Pick<ProjectFiles, "read" | "missing">;

/** The changes of an installation. Changes nothing. @throws CommandError */
export async function planInstall(options: PlanOptions, files: PlanSource): Promise<InstallPlan> {
  const { client } = options;
  const { file, key } = client.servers;
  const found = await files.read(file);
  const text = found?.bytes.toString("utf8") ?? "";
  parseClientFile(text, file);
  const behind = await serversBehind(files);
  const named = valueAt(text, [key]);
  const { moved, notes } = chosenServers({ named, behind, options });
  if (entriesOf(named).length === 0)
    notes.push(`${file} names no servers, so none moves behind the gateway.`);
  const wanted: Record<string, readonly WantedEdit[]> = {
    [MOVED_FILE]: [...moved].map(([name, value]) => set(["mcpServers", name], value)),
    [file]: serverEdits([...moved.keys()], options),
    ...(client.hooks === undefined ? {} : { [client.hooks.file]: client.hooks.edits(options.own) }),
  };
  const planned: PlannedFile[] = [];
  for (const [path, edits] of Object.entries(wanted)) {
    // The new file gets the permissions of the client's file.
    if (edits.length > 0)
      planned.push(planFile({ path, edits, newMode: found?.mode }, await files.read(path)));
  }
  if (moved.size > 0) planned.push(...(await plannedIgnore(file, files)));
  const folders = [...new Set(planned.map(({ path }) => dirname(path)))].filter((folder) => folder !== ".");
  return {
    files: planned.filter(({ textBefore, textAfter }) => textBefore !== textAfter),
    moved,
    notes,
    folders: await files.missing(folders),
  };
}

/** Tokens in an ignored file must not enter version control under another name. */
async function plannedIgnore(file: string, files: PlanSource): Promise<readonly PlannedFile[]> {
  const found = await files.read(IGNORE_FILE);
  const textBefore = found?.bytes.toString("utf8") ?? "";
  const rules = (await files.read(".gitignore"))?.bytes.toString("utf8") ?? "";
  const textAfter = ignoreText({ file, rules, textBefore });
  if (textAfter === undefined) return [];
  const mode = found?.mode ?? NEW_FILE_MODE;
  const before = found === undefined ? {} : { before: { hash: found.hash, mode } };
  const after = { hash: hashOf(Buffer.from(textAfter)), mode };
  return [{ path: IGNORE_FILE, ...before, after, edits: [], textBefore, textAfter }];
}

/** Names that stay the same in tool names. Another name would be changed, and could become that of another server. */
const NAME = /^[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9_])?$/;

/** The servers behind the gateway. @throws CommandError for a name that could be mistaken for another. */
async function serversBehind(files: PlanSource): Promise<ReadonlyMap<string, unknown>> {
  const text = (await files.read(MOVED_FILE))?.bytes.toString("utf8") ?? "";
  parseClientFile(text, MOVED_FILE);
  const behind = new Map(entriesOf(valueAt(text, ["mcpServers"])));
  const unclear = [...behind.keys()].find((name) => !NAME.test(name));
  if (unclear === undefined) return behind;
  throw new CommandError(
    `${MOVED_FILE} has a server ${JSON.stringify(unclear)}, whose name could be mistaken for another.`,
    {
      hint: "Rename it, with letters, digits, `_` and `-` only. Nothing was changed.",
    },
  );
}

interface FoundServers {
  /** In the client's file. */
  readonly named: unknown;
  /** Behind the gateway already. */
  readonly behind: ReadonlyMap<string, unknown>;
  readonly options: PlanOptions;
}

function chosenServers({ named, behind, options }: FoundServers) {
  const moved = new Map<string, unknown>();
  const notes: string[] = [];
  for (const [name, entry] of entriesOf(named)) {
    const isOther = behind.has(name) && !isDeepStrictEqual(behind.get(name), entry);
    const why =
      whyNot({ name, entry, options }) ??
      (isOther ? `${MOVED_FILE} has another server of that name` : undefined);
    if (why === undefined) moved.set(name, entry);
    else if (why !== "") notes.push(`The server ${JSON.stringify(name)} does not move: ${why}.`);
  }
  return { moved, notes };
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

interface NamedEntry {
  readonly name: string;
  readonly entry: unknown;
  readonly options: PlanOptions;
}

/** Why a server cannot move behind the gateway; empty if it is there already. */
function whyNot({ name, entry, options: { client, own } }: NamedEntry): string | undefined {
  if (typeof entry !== "object" || entry === null) return "it is not written as `{ … }`";
  const { command, args, type } = entry as Readonly<Record<string, unknown>>;
  if (isOurEntry(entry, { client, name, owns: [own] })) return "";
  if (startsSomeGateway(command, args))
    return "it starts a gateway with other arguments than `install` writes; replace it with your server";
  if (!NAME.test(name)) return "its name has other characters than letters, digits, `_` and `-`";
  if (name === "toolkeep") return "its name is that of the gateway";
  if (type === "sse") return "HTTP+SSE is deprecated and not supported; use its streamable HTTP URL";
  if (!canBeRead(name, entry)) return "its command is too long to show before it is accepted";
  if (JSON.stringify(entry).includes(`\${input:`)) return "only the client can ask for its `input` values";
  return undefined;
}

/** A gateway behind the gateway would start itself recursively. */
function startsSomeGateway(command: unknown, args: unknown): boolean {
  const argv = [command, ...(Array.isArray(args) ? args : [])].map(String);
  return (
    argv.includes("gateway") && argv.some((arg) => /toolkeep|[/\\]cli[/\\](?:dist|src)[/\\]main/.test(arg))
  );
}

function serverEdits(names: readonly string[], { client, own, single }: PlanOptions): readonly WantedEdit[] {
  const { key } = client.servers;
  if (!single) return names.map((name) => set([key, name], client.entry(own, ["--wrap", name])));
  if (names.length === 0) return [];
  return [...names.map((name) => set([key, name], undefined)), set([key, "toolkeep"], client.entry(own, []))];
}

function set(path: readonly string[], value: unknown): WantedEdit {
  return { kind: "set", path, ...(value === undefined ? {} : { value }) };
}

const NEW_FILE_MODE = 0o644;

interface FileChange {
  readonly path: string;
  readonly edits: readonly WantedEdit[];
  readonly newMode: number | undefined;
}

function planFile({ path, edits: wanted, newMode }: FileChange, found: FoundFile | undefined): PlannedFile {
  const textBefore = found?.bytes.toString("utf8") ?? "";
  parseClientFile(textBefore, path);
  let text = textBefore;
  const edits: JsonEdit[] = [];
  for (const one of wanted) {
    if (isApplied(text, one)) continue;
    const made = makeEdit(text, one);
    text = made.text;
    edits.push(made.edit);
  }
  const mode = found?.mode ?? newMode ?? NEW_FILE_MODE;
  const before = found === undefined ? {} : { before: { hash: found.hash, mode } };
  return {
    path,
    ...before,
    after: { hash: hashOf(Buffer.from(text)), mode },
    edits,
    textBefore,
    textAfter: text,
  };
}

function isApplied(text: string, { kind, path, value }: WantedEdit): boolean {
  const now = valueAt(text, path);
  if (kind === "set") return isDeepStrictEqual(now, value);
  return Array.isArray(now) && now.some((one) => isDeepStrictEqual(one, value));
}
