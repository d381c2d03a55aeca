import { basename, dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { OwnCommand } from "../clients/hook-line.ts";
import { IGNORE_FILE, type InstallClient, MOVED_FILE } from "../clients/install-client.ts";
import type { RecordedFile } from "../clients/installed/install-record.ts";
import { type FoundFile, hashOf, type ProjectFiles } from "../clients/installed/project-file.ts";
import { type JsonEdit, makeEdit, parseClientFile, valueAt, type WantedEdit } from "../clients/json-edit.ts";
import { usesLocalServers } from "../clients/local-servers.ts";
import { isUserPath, userFolders } from "../clients/user-path.ts";
import { CommandError } from "../terminal/command-error.ts";
import { chosenServers, entriesOf, serversBehind } from "./chosen-servers.ts";
import type { GitState } from "./git-state.ts";
import { ignoreText } from "./ignore-text.ts";

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
  /** The canonical path of the project. Without it, only files of the project are changed. */
  readonly project?: string;
  readonly git?: GitState;
  /** Whether files that git tracks are changed too. Default: false. */
  readonly shares?: boolean;
  /** Whether git ignores the hooks because of an earlier installation. */
  readonly isHidden?: boolean;
}

/** The source of the files that would be changed. */
export type PlanSource = Pick<ProjectFiles, "read" | "missing">;

/** The changes of an installation. Changes nothing. @throws CommandError */
export async function planInstall(options: PlanOptions, files: PlanSource): Promise<InstallPlan> {
  const { own, project, client } = options;
  const { file, edits: editsOf, text } = client.hooks ?? {};
  if (file !== undefined && (await isKept(file, options))) throw keptFile(file, client);
  const { edits: ofServers, moved, notes, newMode, ignored } = await planServers(options, files);
  const wanted: Record<string, readonly WantedEdit[]> = {
    ...ofServers,
    ...(file === undefined || editsOf === undefined ? {} : { [file]: editsOf(own) }),
  };
  const planned: PlannedFile[] = [];
  for (const [path, edits] of Object.entries(wanted)) {
    if (edits.length > 0) planned.push(planFile({ path, edits, newMode }, await files.read(path)));
  }
  if (file !== undefined && text !== undefined && project !== undefined)
    planned.push(wholeFile(file, text(own, project), await files.read(file)));
  planned.push(...ignored, ...(await ignoredHooks(options, files)));
  const folders = [...new Set(planned.flatMap(({ path }) => foldersOf(path)))];
  const changing = planned.filter(({ textBefore, textAfter }) => textBefore !== textAfter);
  return {
    files: changing,
    moved,
    notes: [...notes, ...(await sharingNotes(changing, options))],
    folders: await files.missing(folders),
  };
}

function foldersOf(path: string): readonly string[] {
  if (isUserPath(path)) return userFolders(path);
  const folder = dirname(path);
  return folder === "." ? [] : [folder];
}

interface ServerPlan {
  /** By the file that they are made in. */
  readonly edits: Readonly<Record<string, readonly WantedEdit[]>>;
  readonly moved: ReadonlyMap<string, unknown>;
  readonly notes: readonly string[];
  /** A new file gets the permissions of the client's file. */
  readonly newMode?: number | undefined;
  readonly ignored: readonly PlannedFile[];
}

async function planServers(options: PlanOptions, files: PlanSource): Promise<ServerPlan> {
  const { client, own } = options;
  if (client.servers === undefined) return { edits: {}, moved: new Map(), notes: [], ignored: [] };
  const { file, key } = client.servers;
  const found = await files.read(file);
  const text = found?.bytes.toString("utf8") ?? "";
  parseClientFile(text, file);
  const place = await placeOf(client.servers, options, files);
  const named = valueAt(text, [key]);
  if (!place.isLocal && (await isKept(file, options))) return keptServers(file, client);
  const behind = await serversBehind(files);
  const { moved, notes } = chosenServers({ named, behind, local: place.local, client, own });
  if (place.isLocal && options.single && moved.size > 0)
    notes.push(
      `--single is not possible where git tracks ${file}: each of its servers gets a wrapper of its name.`,
    );
  if (found !== undefined && entriesOf(named).length === 0)
    notes.push(`${file} names no servers, so none moves behind the gateway.`);
  return {
    edits: {
      [MOVED_FILE]: place.isLocal ? [] : [...moved].map(([name, value]) => set(["mcpServers", name], value)),
      [place.file]: serverEdits([...moved.keys()], options, place),
    },
    ...{ moved, notes, newMode: place.isLocal ? PRIVATE_MODE : found?.mode },
    ignored: moved.size > 0 && !place.isLocal ? await plannedIgnore(file, files) : [],
  };
}

/** Whether others get the file with the repository, so that it is left as it is. */
async function isKept(file: string, { git, shares = false }: PlanOptions): Promise<boolean> {
  return !shares && !isUserPath(file) && (await git?.isTracked(file)) === true;
}

function keptFile(file: string, { name }: InstallClient): CommandError {
  return new CommandError(`git tracks ${file}, and ${name} has no file for it that is only yours.`, {
    hint: "Nothing was changed. Use --shared to change it all the same, and do not commit the change: it names files of this machine.",
  });
}

/** The hooks decide about the tools of servers that stay. @throws CommandError for a client without hooks. */
function keptServers(file: string, client: InstallClient): ServerPlan {
  if (client.hooks === undefined) throw keptFile(file, client);
  const note = `git tracks ${file}, so its servers stay as they are and do not move behind the gateway. The hooks decide about their tools. Use --shared to change it all the same.`;
  return { edits: {}, moved: new Map(), notes: [note], ignored: [] };
}

/** Where the wrappers of servers are written. */
interface Place {
  readonly file: string;
  readonly key: readonly string[];
  readonly isLocal: boolean;
  /** The servers that are there, if it is the user's own file. */
  readonly local?: unknown;
}

/** The client's own file, unless others get it with the repository and the client has one that only the user has. */
async function placeOf(
  { file, key }: NonNullable<InstallClient["servers"]>,
  { client: { localServers }, project, git }: PlanOptions,
  files: PlanSource,
): Promise<Place> {
  const isLocal =
    localServers !== undefined &&
    project !== undefined &&
    usesLocalServers(project) &&
    (await git?.isTracked(file)) === true;
  if (!isLocal) return { file, key: [key], isLocal };
  const text = (await files.read(localServers.file))?.bytes.toString("utf8") ?? "";
  parseClientFile(text, localServers.file);
  const path = localServers.keyOf(project);
  return { file: localServers.file, key: path, isLocal, local: valueAt(text, path) ?? {} };
}

/** Keeps the hooks of this user out of version control. */
async function ignoredHooks(
  { client, git, isHidden = false }: PlanOptions,
  files: PlanSource,
): Promise<readonly PlannedFile[]> {
  const { file, ignoreFile } = client.hooks ?? {};
  if (file === undefined || ignoreFile === undefined || (await files.read(ignoreFile)) !== undefined)
    return [];
  if (!isHidden && (await git?.isShown(file)) !== true) return [];
  const textAfter = `# Written by \`toolkeep init\`.\n${[file, ignoreFile].map((one) => basename(one)).join("\n")}\n`;
  const after = { hash: hashOf(Buffer.from(textAfter)), mode: NEW_FILE_MODE };
  return [{ path: ignoreFile, after, edits: [], textBefore: "", textAfter }];
}

/** Warnings about files that others get with the repository. */
async function sharingNotes(
  files: readonly PlannedFile[],
  { client, git }: PlanOptions,
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const { path } of files) {
    if ((await git?.isTracked(path)) === true)
      notes.push(
        `Warning: git tracks ${path}, and ${client.name} has no file for it that is only yours. Do not commit the change: it names files of this machine. \`git update-index --skip-worktree ${path}\` keeps it out of commits.`,
      );
  }
  const { file, ignoreFile } = client.hooks ?? {};
  const isHidden = ignoreFile !== undefined && files.some(({ path }) => path === ignoreFile);
  if (file !== undefined && ignoreFile !== undefined && !isHidden && (await git?.isShown(file)) === true)
    notes.push(`git does not ignore ${file}. Do not commit it: it names files of this machine.`);
  return notes;
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

function serverEdits(
  names: readonly string[],
  { client, own, single }: PlanOptions,
  { key, isLocal }: Place,
): readonly WantedEdit[] {
  // A server in a shared file can be replaced by a wrapper of its name, and not be removed.
  if (!single || isLocal)
    return names.map((name) => set([...key, name], client.entry(own, ["--wrap", name])));
  if (names.length === 0) return [];
  return [
    ...names.map((name) => set([...key, name], undefined)),
    set([...key, "toolkeep"], client.entry(own, [])),
  ];
}

function set(path: readonly string[], value: unknown): WantedEdit {
  return { kind: "set", path, ...(value === undefined ? {} : { value }) };
}

const NEW_FILE_MODE = 0o644;
const PRIVATE_MODE = 0o600;

interface FileChange {
  readonly path: string;
  readonly edits: readonly WantedEdit[];
  readonly newMode: number | undefined;
}

export function planFile(
  { path, edits: wanted, newMode }: FileChange,
  found: FoundFile | undefined,
): PlannedFile {
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

/** A file of the user that is only ours. */
function wholeFile(path: string, textAfter: string, found: FoundFile | undefined): PlannedFile {
  const textBefore = found?.bytes.toString("utf8") ?? "";
  const mode = found?.mode ?? PRIVATE_MODE;
  const before = found === undefined ? {} : { before: { hash: found.hash, mode } };
  return {
    ...{ path, ...before, after: { hash: hashOf(Buffer.from(textAfter)), mode }, edits: [] },
    ...{ textBefore, textAfter },
  };
}

function isApplied(text: string, { kind, path, value }: WantedEdit): boolean {
  const now = valueAt(text, path);
  if (kind === "set") return isDeepStrictEqual(now, value);
  return Array.isArray(now) && now.some((one) => isDeepStrictEqual(one, value));
}
