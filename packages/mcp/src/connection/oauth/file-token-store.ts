import { constants, type Stats } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { ToolFailure } from "@toolkeep/core";
import { isRecord } from "@toolkeep/core/internal";
import { withFileLock, writeOwnedFile } from "@toolkeep/node/internal";
import type { StoredLogin, TokenStore } from "./token-store.ts";

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

const MOST_BYTES = 4 * 2 ** 20;

type Logins = Readonly<Record<string, StoredLogin>>;

/**
 * Keeps logins in a file that only its owner can read. Several processes can write to it.
 * @throws ToolFailure `denied` from its methods if the file is a link, has another owner, or is readable by others.
 */
export function fileTokenStore(path: string): TokenStore {
  let last: Promise<unknown> = Promise.resolve();

  function change(make: (logins: Logins) => Logins): Promise<void> {
    const next = last.then(async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await withFileLock(`${path}.lock`, async () =>
        writeOwnedFile(path, JSON.stringify(make(await read(path)))),
      );
    });
    last = next.catch(() => {});
    return next;
  }

  return {
    get: async (serverUrl) => {
      await last;
      const logins = await read(path);
      return Object.hasOwn(logins, serverUrl) ? logins[serverUrl] : undefined;
    },
    set: (serverUrl, login) => change((logins) => ({ ...logins, [serverUrl]: login })),
    delete: (serverUrl) => change(({ [serverUrl]: _, ...others }) => others),
  };
}

async function read(path: string): Promise<Logins> {
  const file = await openPlain(path);
  if (file === undefined) return {};
  try {
    const error = errorOf(await file.stat());
    if (error !== undefined) throw unusable(path, error);
    return parsed(path, await file.readFile("utf8"));
  } finally {
    await file.close();
  }
}

/** Checks and reads the same open file, so a link or a pipe cannot be substituted in between. */
async function openPlain(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw unusable(path, code === "ELOOP" ? "it is a link" : `it cannot be read (${code})`);
  }
}

function errorOf(stats: Stats): string | undefined {
  if (!stats.isFile()) return "it is not a plain file";
  if ((stats.mode & 0o077) !== 0 && process.platform !== "win32") return "others can read it";
  if (stats.uid !== (process.getuid?.() ?? stats.uid)) return "it has another owner";
  return stats.size > MOST_BYTES ? "it is too large" : undefined;
}

function parsed(path: string, text: string): Logins {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value as Logins;
  } catch {
    // Reported below, without the contents.
  }
  throw unusable(path, "it is not JSON");
}

function unusable(path: string, error: string): ToolFailure {
  return new ToolFailure("denied", `The logins in ${path} are not used: ${error}.`, {
    hint: "Make it a plain file that only you can read (chmod 600), or remove it and log in again.",
  });
}
