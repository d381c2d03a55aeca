import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { directories } from "@toolkeep/node/internal";
import { CommandError } from "../../terminal/command-error.ts";

/** The bearer token of the HTTP endpoint. It is stored, so that clients can keep their configuration. */
export interface HttpToken {
  readonly token: string;
  readonly file: string;
}

const TOKEN = /^[\w-]{43}$/;

/** Reads the token of this user, or creates one. @throws CommandError for a file that other users can read. */
export async function httpToken(
  file: string = join(directories().state, "gateway-token"),
): Promise<HttpToken> {
  const stored = await storedToken(file);
  if (stored !== undefined && TOKEN.test(stored)) return { token: stored, file };
  await makeToken(file, stored === undefined);
  const made = await storedToken(file);
  if (made !== undefined && TOKEN.test(made)) return { token: made, file };
  throw new CommandError(`The token in ${file} changed while it was created.`, {
    hint: "Run the command again.",
  });
}

/** `undefined` if there is none. */
async function storedToken(file: string): Promise<string | undefined> {
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined) return undefined;
  if ((stats.mode & 0o077) !== 0) {
    throw new CommandError(`Other users can read ${file}, so its token is not secret.`, {
      hint: `Run \`rm ${file}\`, start the gateway again, and give the new token to its clients.`,
    });
  }
  return (await readFile(file, "utf8")).trim();
}

/** Writes a token atomically. If several processes start at once, the first token is kept. */
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
