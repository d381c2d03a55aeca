import { type BigIntStats, lstatSync, readdirSync } from "node:fs";
import { errorCode } from "../../../files/file-failure.ts";

/** What a path was when it was last looked at, as a journal has it. */
export interface Stamp {
  readonly ino: string;
  readonly ctimeNs: string;
  readonly mtimeNs: string;
  readonly size: string;
  readonly mode: number;
  /** Of an index of git: what it says. */
  readonly content?: string;
}

export function stampOf({ ino, ctimeNs, mtimeNs, size, mode }: BigIntStats): Stamp {
  return {
    ...{ ino: `${ino}`, ctimeNs: `${ctimeNs}`, mtimeNs: `${mtimeNs}` },
    ...{ size: `${size}`, mode: Number(mode) },
  };
}

/** `undefined` where nothing is. */
export function statsAt(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (["ENOTDIR", "ENAMETOOLONG"].includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

export function stampAt(path: string): Stamp | undefined {
  const stats = statsAt(path);
  return stats && stampOf(stats);
}

export function inoAt(path: string): string | undefined {
  return stampAt(path)?.ino;
}

export function isFolder(path: string): boolean {
  return statsAt(path)?.isDirectory() === true;
}

/** What a file keeps when it is moved; `undefined` for anything else. */
export function keyAt(path: string): string | undefined {
  const stats = statsAt(path);
  return stats?.isFile() === true ? `${stats.size} ${stats.mtimeNs}` : undefined;
}

/** Why a change is held, or cannot be undone. */
export const MEANWHILE = "changed by another program meanwhile";

/** Whether a path is as it was. */
export function isSame(one: Stamp, other: Stamp): boolean {
  return one.ino === other.ino && one.ctimeNs === other.ctimeNs && one.size === other.size;
}

/** Whether a file is another one, or was written to. Moving it changes neither. */
export function isEdited(path: string, was: Partial<Stamp> | undefined): boolean {
  const found = statsAt(path);
  return `${found?.ino}` !== was?.ino || (found?.isFile() === true && `${found.mtimeNs}` !== was.mtimeNs);
}

/** Whether anything in a folder was changed since, as far as that can be told: in doubt it was. */
export function isNewer(folder: string, since: bigint): boolean {
  try {
    return hasNewer(Buffer.from(folder), since);
  } catch (error) {
    if (["EACCES", "ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(errorCode(error) ?? "")) return true;
    throw error;
  }
}

/** By the bytes of names, which need not be text. */
function hasNewer(folder: Buffer, since: bigint): boolean {
  return readdirSync(folder, { encoding: "buffer", withFileTypes: true }).some((entry) => {
    const path = Buffer.concat([folder, Buffer.from("/"), entry.name]);
    if ((lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ctimeNs ?? 0n) > since) return true;
    return entry.isDirectory() && hasNewer(path, since);
  });
}
