import { hash, randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { unlessThrown } from "@toolkeep/core/internal";
import type { PendingArguments } from "@toolkeep/core/journal";
import type { WriteSettings } from "./database.ts";
import type { Owner } from "./owner.ts";
import { syncFolder } from "./store-folder.ts";

const NEW = ".new";

/** How many wiped files are kept for the next values, and how large they may be. */
const MOST_SPARE = 4;
const LARGEST_SPARE = 64 * 1024;

/**
 * Raw arguments of calls that are not settled, each in a file that only the user can read. A file can be overwritten;
 * the write-ahead log of a database would keep deleted values for a while.
 *
 * To wait for the disk takes many times as long as a call. Without `full` durability a wiped file is therefore not
 * removed but used again: whatever its blocks held is overwritten when the system writes them, and no wait is needed.
 */
export class FilePending implements PendingArguments {
  readonly #folder: string;
  readonly #owner: Owner;
  readonly #isSynced: boolean;
  /** Wiped files, under names of this owner. */
  readonly #spare: string[] = [];

  /** The folder must be closed to other users. */
  constructor(folder: string, owner: Owner, durability: WriteSettings["durability"]) {
    this.#folder = folder;
    this.#owner = owner;
    this.#isSynced = durability === "full";
    this.#removeAbandoned();
  }

  put(key: string, argsText: string): void {
    const text = JSON.stringify([key, argsText]);
    const path = this.#pathOf(key);
    const isNew = lstatSync(path, { throwIfNoEntry: false }) === undefined;
    if (!isNew && readText(path)?.trimEnd() === text) return;
    const made = this.#writeSpare(text) ?? this.#write(text);
    const old = isNew ? undefined : openExisting(path);
    renameSync(made, path);
    if (old !== undefined) wipe(old);
    if (this.#isSynced) syncFolder(this.#folder);
  }

  get(key: string): string | undefined {
    const entry = entryOf(readText(this.#pathOf(key)) ?? "");
    return entry?.key === key ? entry.argsText : undefined;
  }

  /** Overwrites and removes the value before it returns. */
  delete(key: string): void {
    const path = this.#pathOf(key);
    if (this.#isSynced || this.#spare.length >= MOST_SPARE || !this.#keepSpare(path)) remove(path);
  }

  /** Removes the files that were kept for later. */
  close(): void {
    for (const path of this.#spare.splice(0)) remove(path);
  }

  /** Removes everything of a session, except what belongs to these turns. */
  keepOnly(sessionId: string, turns: ReadonlySet<string> = new Set()): void {
    for (const { path, key } of this.#entries()) {
      if (!key.startsWith(`${sessionId}/`)) continue;
      const [turn = ""] = key.slice(sessionId.length + 1).split("/");
      if (!turns.has(turn)) remove(path);
    }
  }

  *#entries(): Generator<Entry & { readonly path: string }> {
    for (const name of readdirSync(this.#folder)) {
      const path = join(this.#folder, name);
      const entry = name.endsWith(NEW) ? undefined : entryOf(readText(path) ?? "");
      if (entry !== undefined) yield { path, ...entry };
    }
  }

  /** Overwrites a file and keeps it under a name of this owner, if it is there and small. */
  #keepSpare(path: string): boolean {
    const file = openExisting(path);
    if (file === undefined) return false;
    try {
      const { size } = fstatSync(file);
      if (size > LARGEST_SPARE) return false;
      writeSync(file, new Uint8Array(size), 0, null, 0);
    } finally {
      closeSync(file);
    }
    const spare = this.#newPath();
    if (!isRenamed(path, spare)) return false;
    this.#spare.push(spare);
    return true;
  }

  /** Writes into a file that was kept, if there is one. What is left of its length is filled with spaces. */
  #writeSpare(text: string): string | undefined {
    const path = this.#spare.pop();
    const file = path === undefined ? undefined : openExisting(path);
    if (file === undefined) return undefined;
    try {
      const bytes = Buffer.from(text);
      const rest = Math.max(0, fstatSync(file).size - bytes.length);
      writeSync(file, Buffer.concat([bytes, Buffer.alloc(rest, " ")]), 0, null, 0);
    } finally {
      closeSync(file);
    }
    return path;
  }

  /** The name contains the owner: it shows whether the file is still being written. */
  #newPath(): string {
    this.#owner.appear();
    return join(this.#folder, `${this.#owner.token}.${randomUUID()}${NEW}`);
  }

  #write(text: string): string {
    const path = this.#newPath();
    const file = openSync(path, "wx", 0o600);
    try {
      writeSync(file, text);
      if (this.#isSynced) fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    return path;
  }

  /** Removes files that a killed process left half written, or overwritten and not removed. */
  #removeAbandoned(): void {
    for (const name of readdirSync(this.#folder)) {
      const [owner = ""] = name.split(".");
      const path = join(this.#folder, name);
      const isAbandoned = name.endsWith(NEW) ? !this.#owner.isAlive(owner) : isWiped(path);
      if (isAbandoned) remove(path);
    }
  }

  #pathOf(key: string): string {
    return join(this.#folder, hash("sha256", key));
  }
}

interface Entry {
  readonly key: string;
  readonly argsText: string;
}

function entryOf(text: string): Entry | undefined {
  try {
    const [key, argsText] = JSON.parse(text) as [unknown, unknown];
    return typeof key === "string" && typeof argsText === "string" ? { key, argsText } : undefined;
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  return unlessThrown(() =>
    readFileSync(path, { encoding: "utf8", flag: constants.O_RDONLY | constants.O_NOFOLLOW }),
  );
}

function remove(path: string): void {
  const file = openExisting(path);
  if (file !== undefined) wipe(file);
  rmSync(path, { force: true });
}

function openExisting(path: string): number | undefined {
  return unlessThrown(() => openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW));
}

/** Another process may have removed the file meanwhile. */
function isRenamed(path: string, to: string): boolean {
  try {
    renameSync(path, to);
    return true;
  } catch {
    return false;
  }
}

function isWiped(path: string): boolean {
  return /^\0+$/.test(readText(path) ?? "");
}

/** Overwrites the content of a file, so that its blocks do not keep it, and closes it. */
function wipe(file: number): void {
  try {
    writeSync(file, new Uint8Array(fstatSync(file).size), 0, null, 0);
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}
