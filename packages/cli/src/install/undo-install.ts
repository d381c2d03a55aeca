import {
  IGNORE_FILE,
  INSTALL_CLIENTS,
  type InstallClientName,
  MOVED_FILE,
} from "../clients/install-client.ts";
import type {
  InstallRecord,
  InstallRecords,
  InstallTarget,
  RecordedFile,
} from "../clients/installed/install-record.ts";
import { type FoundFile, hashOf } from "../clients/installed/project-file.ts";
import { type JsonEdit, undoEdit } from "../clients/json-edit.ts";
import { isUserPath, userPath } from "../clients/user-path.ts";
import type { PlanSource } from "./plan-install.ts";

/** One file after the undo. */
export interface UndoneFile {
  readonly path: string;
  readonly textBefore: string;
  /** Absent: the file is removed. */
  readonly bytesAfter?: Buffer;
  readonly mode: number;
  /** Whether the file is byte for byte as before the installation. */
  readonly isExact: boolean;
  /** Our changes that were edited since, and stay. */
  readonly conflicts: readonly string[];
}

export interface UndoPlan {
  readonly record: InstallRecord;
  readonly files: readonly UndoneFile[];
  /** Our changes that other clients still need. Their records take them over. */
  readonly handedOver: readonly HandedOver[];
}

interface HandedOver {
  readonly record: InstallRecord;
  readonly file: RecordedFile;
  /** The objects that this installation made in the file. The last one of the clients removes them. */
  readonly made: JsonEdit["made"];
}

/** Plans the undo of an installation. Changes nothing. */
export async function planUndo(record: InstallRecord, { files, records }: InstallTarget): Promise<UndoPlan> {
  const others = await otherRecords(record.client, records);
  const undone: UndoneFile[] = [];
  const handedOver: HandedOver[] = [];
  for (const [index, file] of record.files.entries()) {
    const [next] = others;
    // The file that it ignores is still needed.
    if (file.path === IGNORE_FILE && next !== undefined) {
      handedOver.push({ record: next, file, made: [] });
      continue;
    }
    const needing = (edit: JsonEdit) => others.find((one) => isNeededBy(one, { file, edit }));
    const kept = file.edits.filter((edit) => needing(edit) !== undefined);
    const successor = kept[0] === undefined ? others.find((one) => sharesFile(one, file)) : needing(kept[0]);
    if (successor !== undefined)
      handedOver.push({ record: successor, file: { ...file, edits: kept }, made: madeBy(file) });
    const edits = file.edits.filter((edit) => !kept.includes(edit));
    const now = await files.read(file.path);
    if (now !== undefined)
      undone.push(await undoFile({ file: { ...file, edits }, now, record, index }, records));
  }
  return { record, files: undone, handedOver };
}

/** The project as it would be after the undo. */
export function asUndone({ record, files: undone }: UndoPlan, { files }: InstallTarget): PlanSource {
  return {
    async read(path) {
      const found = undone.find((file) => file.path === path);
      if (found === undefined) return files.read(path);
      const { bytesAfter: bytes, mode } = found;
      return bytes === undefined ? undefined : { bytes, hash: hashOf(bytes), mode };
    },
    async missing(folders) {
      const gone = await files.missing(folders);
      return folders.filter((folder) => gone.includes(folder) || record.folders.includes(folder));
    },
  };
}

export async function applyUndo(
  { record, files: undone, handedOver }: UndoPlan,
  { files, records }: InstallTarget,
): Promise<void> {
  for (const { path, bytesAfter, mode } of undone) {
    if (bytesAfter === undefined) await files.remove(path);
    else await files.write({ path, bytes: bytesAfter, mode });
  }
  const successors = new Map<InstallClientName, InstallRecord>();
  for (const { record: successor, ...given } of handedOver)
    successors.set(successor.client, withFile(successors.get(successor.client) ?? successor, given));
  for (const successor of successors.values()) await records.write(successor);
  // With conflicts, the copies may be the only originals.
  await records.remove(record, hasConflicts(undone));
  for (const folder of [...record.folders, ".toolkeep"].toSorted().toReversed())
    await files.removeFolder(folder);
}

/** Whether some of our changes could not be undone, so that the original files are kept. */
export function hasConflicts(undone: readonly UndoneFile[]): boolean {
  return undone.some(({ conflicts }) => conflicts.length > 0);
}

interface UndoParts {
  readonly file: RecordedFile;
  readonly now: FoundFile;
  readonly record: InstallRecord;
  readonly index: number;
}

async function undoFile(parts: UndoParts, records: InstallRecords): Promise<UndoneFile> {
  const { file, now, record, index } = parts;
  const { path, before, after } = file;
  const textBefore = now.bytes.toString("utf8");
  const base = { path, textBefore, mode: before?.mode ?? now.mode };
  const isWhole = file.edits.length === record.files[index]?.edits.length;
  if (now.hash === before?.hash) return { ...base, bytesAfter: now.bytes, isExact: true, conflicts: [] };
  if (now.hash === after.hash && isWhole) {
    if (before === undefined) return { ...base, isExact: true, conflicts: [] };
    const { client } = record;
    const bytes = await records.readCopy({ client, index, which: "before", hash: before.hash });
    return { ...base, bytesAfter: bytes, isExact: true, conflicts: [] };
  }
  const conflicts: string[] = [];
  let text = textBefore;
  for (const edit of file.edits.toReversed()) {
    const undone = undoEdit(text, edit);
    text = undone.text;
    if (undone.conflict !== undefined) conflicts.push(undone.conflict);
  }
  // A file that is only ours has no edits that could be undone one by one.
  if (isUserPath(path) && file.edits.length === 0 && isWhole)
    conflicts.push(`${userPath(path)} was edited since. Remove it by hand.`);
  const isGone = before === undefined && text.replaceAll(/\s/g, "") === "{}";
  return {
    ...base,
    mode: now.mode,
    ...(isGone ? {} : { bytesAfter: Buffer.from(text) }),
    isExact: false,
    conflicts,
  };
}

async function otherRecords(
  client: InstallClientName,
  records: InstallRecords,
): Promise<readonly InstallRecord[]> {
  const others = INSTALL_CLIENTS.filter((one) => one !== client);
  const found = await Promise.all(others.map((one) => records.read(one).catch(() => undefined)));
  return found.filter((one) => one !== undefined);
}

/** Whether the wrapper of another client starts the moved server. */
function isNeededBy(
  other: InstallRecord,
  { file, edit }: { readonly file: RecordedFile; readonly edit: JsonEdit },
): boolean {
  return file.path === MOVED_FILE && other.servers.includes(edit.path[1] ?? "");
}

/** Whether this installation made the file or the list in it, and another client has servers of its own there. */
function sharesFile(other: InstallRecord, file: RecordedFile): boolean {
  const isMaker = file.before === undefined || madeBy(file).length > 0;
  return isMaker && file.path === MOVED_FILE && other.files.some(({ path }) => path === file.path);
}

function madeBy({ edits }: RecordedFile): JsonEdit["made"] {
  return edits.flatMap(({ made }) => made);
}

function withFile(record: InstallRecord, { file, made }: Omit<HandedOver, "record">): InstallRecord {
  const own = record.files.find(({ path }) => path === file.path);
  if (own === undefined)
    return { ...record, files: [...record.files, { ...file, edits: making(file.edits, made) }] };
  // The first installation has the original file, or made it.
  const { before, ...rest } = own;
  const isMade = before === undefined || file.before === undefined;
  const first = isMade ? rest : { ...rest, before: file.before };
  const joined = { ...first, edits: making([...file.edits, ...own.edits], made) };
  return { ...record, files: record.files.map((one) => (one === own ? joined : one)) };
}

/** The first edit is undone last, and removes what was made if it is empty then. */
function making([first, ...others]: readonly JsonEdit[], made: JsonEdit["made"]): readonly JsonEdit[] {
  return first === undefined ? [] : [{ ...first, made: [...made, ...first.made] }, ...others];
}
