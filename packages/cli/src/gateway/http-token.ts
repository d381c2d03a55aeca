import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { places } from "@toolkeep/node";
import { CommandFault } from "../terminal/command-fault.ts";

/** What clients of the HTTP endpoint must show, kept so that their configuration stays the same. */
export interface HttpToken {
  readonly token: string;
  readonly file: string;
}

const TOKEN = /^[\w-]{43}$/;

/** Reads the token of this user, or makes one up. @throws CommandFault for a file that others can read. */
export async function httpToken(file: string = join(places().state, "gateway-token")): Promise<HttpToken> {
  const stats = await stat(file).catch(() => undefined);
  if (stats === undefined) return { token: await makeToken(file), file };
  if ((stats.mode & 0o077) !== 0) {
    throw new CommandFault(`Others can read ${file}, so its token is not secret any more.`, {
      hint: "Remove it; a new one is made, and clients need that.",
    });
  }
  const token = (await readFile(file, "utf8")).trim();
  if (TOKEN.test(token)) return { token, file };
  await rm(file);
  return { token: await makeToken(file), file };
}

async function makeToken(file: string): Promise<string> {
  const token = randomBytes(32).toString("base64url");
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(`${token}\n`);
  } finally {
    await handle.close();
  }
  return token;
}
