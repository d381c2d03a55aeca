import { randomUUID } from "node:crypto";
import { fstatSync, linkSync, lstatSync, renameSync } from "node:fs";
import { basename, dirname } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { fsDelete, fsWrite } from "@toolkeep/core/internal";
import type { FileChange, Grant, WrittenFile } from "@toolkeep/core/ports";
import { canonicalPath } from "../files/canonical-path.ts";
import { refuseLink } from "../files/guarded-files.ts";
import { versionOf } from "../files/opened-file.ts";
import { type PinnedFolder, pinFolder } from "../files/pinned-folder.ts";
import {
  ABSENT,
  type BeforeChange,
  createIn,
  discard,
  lacksLinks,
  type MadeFile,
  neighbourName,
  putInPlace,
  replaceable,
  type Target,
} from "../files/write-file.ts";
import { sha256 } from "../owned-files/sha256.ts";
import { type ChangedFile, oneAtATime, openRecord } from "./change-journal.ts";
import { finishLeftChanges } from "./left-changes.ts";
import { contentOf, undoChange } from "./undo-change.ts";

export interface AllChanges {
  readonly grant: Grant;
  readonly changes: readonly FileChange[];
  /** Of each file. */
  readonly mostBytes: number;
  /** Where the change is recorded while it is made. */
  readonly records: string;
  readonly before?: BeforeChange | undefined;
}

const MOST_FILES = 500;

/**
 * Makes all changes or none. New files are written next to their places first, and old ones keep a second name until
 * the last change is made: whatever fails or ends in between is undone by the record of it.
 */
export async function writeAll(request: AllChanges): Promise<readonly WrittenFile[]> {
  const { changes, records } = request;
  if (changes.length > MOST_FILES)
    throw new ToolFailure("too_large", `${changes.length} files are more than are changed at once.`);
  return oneAtATime(records, async () => {
    await finishLeftChanges(records);
    const planned = await planAll(request);
    const record = { files: planned.map(({ file }) => file), folders: missingFolders(planned) };
    const opened = await openRecord(records, randomUUID(), record);
    using held = new DisposableStack();
    let written: readonly WrittenFile[];
    try {
      written = (await makeReady(request, planned, held)).map((one) => putNow(one, request.before));
      opened.confirm();
    } catch (error) {
      undoChange(record);
      opened.forget();
      throw error;
    }
    await finishLeftChanges(records);
    return written;
  });
}

interface Planned {
  readonly change: FileChange;
  readonly file: ChangedFile;
}

/** Where everything goes. Changes nothing. */
async function planAll(request: AllChanges): Promise<readonly Planned[]> {
  const planned: Planned[] = [];
  for (const change of request.changes) {
    const one = await plan(request, change);
    if (planned.some(({ file }) => file.path === one.file.path))
      throw new ToolFailure("conflict", `${JSON.stringify(one.file.path)} is changed twice.`);
    planned.push(one);
  }
  return planned;
}

async function plan({ grant, mostBytes }: AllChanges, change: FileChange): Promise<Planned> {
  const { content, expects } = change;
  if (content !== undefined && Buffer.byteLength(content) > mostBytes)
    throw new ToolFailure("too_large", `${JSON.stringify(change.path)} would exceed ${mostBytes} bytes.`);
  const path = await canonicalPath(change.path);
  grant.check(content === undefined ? fsDelete(path) : fsWrite(path));
  if (content === undefined) await refuseLink(change.path, path);
  const fresh = content === undefined ? {} : { fresh: { name: neighbourName(), content: sha256(content) } };
  const name = basename(path);
  if (lstatSync(dirname(path), { throwIfNoEntry: false }) === undefined) {
    if (content === undefined || (expects !== undefined && expects !== ABSENT)) throw absent(path);
    return { change, file: { path, ...fresh } };
  }
  using folder = pinFolder(dirname(path));
  const old = replaceable({ folder, name, expects });
  if (old === undefined && content === undefined) throw absent(path);
  const kept = old && { name: neighbourName(), content: contentOf(folder, name) ?? "" };
  return { change, file: { path, ...fresh, ...(kept === undefined ? {} : { old: kept }) } };
}

function absent(path: string): ToolFailure {
  return new ToolFailure("not_found", `${JSON.stringify(path)} does not exist.`);
}

/** The folders that are made for new files, outermost first. */
function missingFolders(planned: readonly Planned[]): readonly string[] {
  const missing = new Set<string>();
  for (const { file } of planned) {
    const above: string[] = [];
    for (
      let folder = dirname(file.path);
      lstatSync(folder, { throwIfNoEntry: false }) === undefined;
      folder = dirname(folder)
    )
      above.unshift(folder);
    for (const folder of above) missing.add(folder);
  }
  return [...missing].toSorted((one, other) => one.length - other.length);
}

interface Placed {
  readonly target: Target;
  readonly file: ChangedFile;
  /** Missing for a file that is removed. */
  readonly made?: MadeFile;
}

/** Writes what is new, and looks at everything again: from here on only names change. */
async function makeReady(
  { grant }: AllChanges,
  planned: readonly Planned[],
  held: DisposableStack,
): Promise<readonly Placed[]> {
  const placed: Placed[] = [];
  for (const { change, file } of planned) {
    const folder = held.use(pinFolder(dirname(file.path), { make: file.old === undefined }));
    const expects = file.old === undefined ? ABSENT : change.expects;
    const target: Target = { folder, name: basename(file.path), expects };
    const { fresh } = file;
    const { content } = change;
    if (fresh === undefined || content === undefined) placed.push({ target, file });
    else {
      const made = await createIn(folder, { name: fresh.name, content, old: replaceable(target) });
      held.adopt(made, discard);
      placed.push({ target, file, made });
    }
  }
  for (const { target, file } of placed) {
    grant.check(file.fresh === undefined ? fsDelete(file.path) : fsWrite(file.path));
    target.folder.confirm();
    replaceable(target);
  }
  return placed;
}

function putNow({ target, file, made }: Placed, before: BeforeChange | undefined): WrittenFile {
  const { folder, name } = target;
  before?.(file.path, folder.at(name));
  if (made === undefined) {
    renameSync(folder.at(name), folder.at(file.old?.name ?? name));
    return { version: ABSENT };
  }
  if (file.old !== undefined) keepOld(folder, name, file.old.name);
  putInPlace(made.path, target);
  return { version: versionOf(fstatSync(made.descriptor, { bigint: true })) };
}

/** Under a second name, so that the path is never empty; where a file has only one, it moves. */
function keepOld(folder: PinnedFolder, name: string, kept: string): void {
  try {
    linkSync(folder.at(name), folder.at(kept));
  } catch (error) {
    if (!lacksLinks(error)) throw error;
    renameSync(folder.at(name), folder.at(kept));
  }
}
