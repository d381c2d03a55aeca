import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { InstallClient, OwnCommand } from "./install-client.ts";
import type { RecordedFile } from "./install-record.ts";
import { type JsonEdit, makeEdit, parseClientFile, valueAt, type WantedEdit } from "./json-edit.ts";
import { startsOurGateway } from "./own-command.ts";
import { type FoundFile, hashOf, type ProjectFiles } from "./project-file.ts";

/** A file as it would be. */
interface PlannedFile extends RecordedFile {
  readonly textBefore: string;
  readonly textAfter: string;
}

export interface InstallPlan {
  readonly files: readonly PlannedFile[];
  /** Servers that go behind the gateway. */
  readonly servers: readonly string[];
  /** What stays as it is, and why. */
  readonly notes: readonly string[];
  readonly folders: readonly string[];
}

export interface PlanOptions {
  readonly own: OwnCommand;
  /** One entry for all servers. */
  readonly single: boolean;
}

/** Where the servers go that clients had. */
export const MOVED_FILE = ".toolkeep/mcp.json";

/** Says what an installation would change. Changes nothing. @throws CommandFault */
export async function planInstall(
  client: InstallClient,
  files: ProjectFiles,
  options: PlanOptions,
): Promise<InstallPlan> {
  const { file, key } = client.servers;
  const found = await files.read(file);
  const text = found?.bytes.toString("utf8") ?? "";
  parseClientFile(text, file);
  const behind = valueAt((await files.read(MOVED_FILE))?.bytes.toString("utf8") ?? "", ["mcpServers"]);
  const { moved, notes } = chosenServers(valueAt(text, [key]), behind, files.root);
  const wanted: Record<string, readonly WantedEdit[]> = {
    [MOVED_FILE]: Object.entries(moved).map(([name, value]) => set(["mcpServers", name], value)),
    [file]: serverEdits(client, Object.keys(moved), options),
    ...(client.hooks === undefined ? {} : { [client.hooks.file]: client.hooks.edits(options.own) }),
  };
  const planned: PlannedFile[] = [];
  for (const [path, edits] of Object.entries(wanted)) {
    // What was for its owner alone stays so.
    if (edits.length > 0)
      planned.push(planFile({ path, edits, newMode: found?.mode }, await files.read(path)));
  }
  const folders = [...new Set(planned.map(({ path }) => dirname(path)))].filter((folder) => folder !== ".");
  return {
    files: planned.filter(({ textBefore, textAfter }) => textBefore !== textAfter),
    servers: Object.keys(moved),
    notes,
    folders: await files.missing(folders),
  };
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;

function chosenServers(value: unknown, behind: unknown, project: string) {
  const moved: Record<string, unknown> = {};
  const notes: string[] = [];
  const there = new Map(entriesOf(behind));
  for (const [name, entry] of entriesOf(value)) {
    const isOther = there.has(name) && !isDeepStrictEqual(there.get(name), entry);
    const why =
      whyNot(name, entry, project) ?? (isOther ? `${MOVED_FILE} has another server of that name` : undefined);
    if (why === undefined) moved[name] = entry;
    else if (why !== "") notes.push(`The server ${JSON.stringify(name)} stays as it is: ${why}.`);
  }
  return { moved, notes };
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

/** Why a server cannot go behind the gateway; empty where it is there already. */
function whyNot(name: string, entry: unknown, project: string): string | undefined {
  if (typeof entry !== "object" || entry === null) return "it is not written as `{ … }`";
  const { command, args, type } = entry as Readonly<Record<string, unknown>>;
  const words = Array.isArray(args) ? args.map(String) : [];
  if (typeof command === "string" && startsOurGateway([command, ...words], project)) return "";
  if (!NAME.test(name)) return "its name has other characters than letters, digits, `_` and `-`";
  if (name === "toolkeep") return "its name is the gateway's own";
  if (type === "sse") return "HTTP+SSE is deprecated and not supported; use its streamable HTTP address";
  if (JSON.stringify(entry).includes(`\${input:`))
    return "only the client can ask for what it names as `input`";
  return undefined;
}

function serverEdits(
  client: InstallClient,
  names: readonly string[],
  { own, single }: PlanOptions,
): readonly WantedEdit[] {
  const { key } = client.servers;
  if (!single) return names.map((name) => set([key, name], client.entry(own, ["--wrap", name])));
  if (names.length === 0) return [];
  return [...names.map((name) => set([key, name], undefined)), set([key, "toolkeep"], client.entry(own, []))];
}

function set(path: readonly string[], value: unknown): WantedEdit {
  return { kind: "set", path, ...(value === undefined ? {} : { value }) };
}

const NEW_FILE_MODE = 0o644;

interface FileWish {
  readonly path: string;
  readonly edits: readonly WantedEdit[];
  readonly newMode: number | undefined;
}

function planFile({ path, edits: wanted, newMode }: FileWish, found: FoundFile | undefined): PlannedFile {
  const textBefore = found?.bytes.toString("utf8") ?? "";
  parseClientFile(textBefore, path);
  let text = textBefore;
  const edits: JsonEdit[] = [];
  for (const one of wanted) {
    if (isThere(text, one)) continue;
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

function isThere(text: string, { kind, path, value }: WantedEdit): boolean {
  const now = valueAt(text, path);
  if (kind === "set") return isDeepStrictEqual(now, value);
  return Array.isArray(now) && now.some((one) => isDeepStrictEqual(one, value));
}
