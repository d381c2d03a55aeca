import { readFileSync, statSync } from "node:fs";

/** What a repository tracks. */
export interface TrackedFiles {
  /** Relative to the top of the repository. */
  readonly files: readonly string[];
  /** Folders that are repositories of their own to it. */
  readonly repositories: readonly string[];
}

const NONE: TrackedFiles = Object.freeze({ files: [], repositories: [] });
const LARGEST = 64 * 1_048_576;
const HEADER = 12;
const FIXED = 62;
const EXTENDED = 0x4000;
const REPOSITORY = 0o160000;
const HASHES = [20, 32];

/**
 * Reads the index of a repository: git itself would read the repository's configuration, and run what that names.
 * `undefined` where it cannot be read, which is not the same as nothing.
 */
export function trackedFiles(index: string): TrackedFiles | undefined {
  try {
    if (statSync(index).size > LARGEST) return undefined;
    const bytes = readFileSync(index);
    if (bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
    for (const hash of HASHES) {
      const found = entriesIn(bytes, hash);
      if (found !== undefined) return found;
    }
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code === "ENOENT" ? NONE : undefined;
  }
}

/** `undefined` where the bytes are not of this form. */
function entriesIn(bytes: Buffer, hash: number): TrackedFiles | undefined {
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  if (version < 2 || version > 4) return undefined;
  const files: string[] = [];
  const repositories: string[] = [];
  let at = HEADER;
  let before: Buffer = Buffer.alloc(0);
  for (let seen = 0; seen < count; seen += 1) {
    const flagsAt = at + FIXED - 22 + hash;
    if (flagsAt + 2 > bytes.length) return undefined;
    const mode = bytes.readUInt32BE(at + 24);
    const nameAt = flagsAt + ((bytes.readUInt16BE(flagsAt) & EXTENDED) === 0 ? 2 : 4);
    const taken = version === 4 ? compressed(bytes, nameAt, before) : { kept: undefined, at: nameAt };
    const end = bytes.indexOf(0, taken.at);
    if (end === -1) return undefined;
    const rest = bytes.subarray(taken.at, end);
    before = taken.kept === undefined ? rest : Buffer.concat([taken.kept, rest]);
    (mode === REPOSITORY ? repositories : files).push(before.toString("utf8"));
    at = version === 4 ? end + 1 : at + Math.ceil((end - at + 1) / 8) * 8;
    if (![0o100000, 0o120000, 0o160000, 0o040000].includes(mode & 0o170000)) return undefined;
  }
  return { files, repositories };
}

/** In the fourth version a name says how much of the one before is not part of it. */
function compressed(bytes: Buffer, start: number, before: Buffer): { kept: Buffer; at: number } {
  let at = start;
  let byte = bytes.readUInt8(at);
  let dropped = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = bytes.readUInt8(at);
    dropped = ((dropped + 1) << 7) | (byte & 0x7f);
  }
  return { kept: before.subarray(0, Math.max(before.length - dropped, 0)), at: at + 1 };
}
