import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { directories } from "@toolkeep/node/internal";
import { CommandError } from "../terminal/command-error.ts";

/** What clients of the HTTP endpoint must show, kept so that their configuration stays the same. */
export interface HttpToken {
  readonly token: string;
  readonly file: string;
}

const TOKEN = /^[\w-]{43}$/;

/** Reads the token of this user, or makes one up. @throws CommandFault for a file that others can read. */
export async function httpToken(
  file: string = join(directories().state, "gateway-token"),
): Promise<HttpToken> {
  const kept = await keptToken(file);
  if (kept !== undefined && TOKEN.test(kept)) return { token: kept, file };
  await makeToken(file, kept === undefined);
  const made = await keptToken(file);
  if (made !== undefined && TOKEN.test(made)) return { token: made, file };
  throw new CommandError(`The token in ${file} was changed while it was made.`, { hint: "Start again." });
}

/** `undefined` where there is none. */
async function keptToken(file: string): Promise<string | undefined> {
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined) return undefined;
  if ((stats.mode & 0o077) !== 0) {
    throw new CommandError(`Others can read ${file}, so its token is not secret any more.`, {
      hint: "Remove it; a new one is made, and clients need that.",
    });
  }
  return (await readFile(file, "utf8")).trim();
}

/** Puts a token in place as a whole. Of several that start at once, the first one's stays. */
async function makeToken(file: string, isFirst: boolean): Promise<void> {
  const draft = `${file}.${randomUUID()}.tmp`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flag: "wx" });
  try {
    await (isFirst ? link(draft, file) : rename(draft, file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
