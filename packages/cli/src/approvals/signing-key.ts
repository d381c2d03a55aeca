import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import {
  type DatedKey,
  dateError,
  parseDatedKey,
  parseSshPublicKey,
  sshKeyId,
} from "@toolkeep/core/internal";
import type { Approvers } from "@toolkeep/core/policy";
import { CommandError, EXIT } from "../terminal/command-error.ts";

/** A key of an approver, and where it is. */
export interface SigningKey {
  /** The name that the administrator's configuration gives its owner. */
  readonly approver: string;
  /** A line of a `.pub` file. */
  readonly publicKey: string;
  /** For `ssh-keygen`: the private key, or the `.pub` file of one that an agent holds. */
  readonly keyFile: string;
}

/** A key of an approver, as the administrator's configuration has it. */
interface OwnedKey {
  readonly approver: string;
  readonly dates: DatedKey;
}

const MOST_FILES = 200;

/**
 * The key to sign with: the one that is named, or the only key in `~/.ssh` that belongs to an approver. Whose it is
 * says the administrator's configuration: no other name can be given.
 * @throws CommandError
 */
export async function signingKey(
  named: string | undefined,
  approvers: Approvers,
  folder = join(homedir(), ".ssh"),
): Promise<SigningKey> {
  const owners = await ownersOf(approvers);
  const now = Date.now();
  if (owners.size === 0)
    throw new CommandError("No approvers are configured, so that there is no key to sign with.", {
      hint: "An administrator sets `approvers`: the names, public keys and groups of the people who sign.",
    });
  if (named !== undefined) {
    const key = await keyAt(named, owners);
    const undated = key === undefined ? undefined : dateError(key.dates, now);
    if (undated !== undefined)
      throw new CommandError(`This would not count: the key ${JSON.stringify(named)} ${undated}.`, {
        exit: EXIT.denied,
      });
    if (key !== undefined) return key;
    throw new CommandError(`The key ${JSON.stringify(named)} belongs to no approver.`, {
      hint: "Use a key that is listed in the administrator's `approvers`.",
    });
  }
  const known = await Promise.all(publicFiles(folder).map((file) => keyAt(file, owners)));
  const found = known.filter((key) => key !== undefined).filter(({ dates }) => isValidNow(dates, now));
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  throw new CommandError(
    first === undefined
      ? `No key in ${folder} belongs to an approver.`
      : `Several keys belong to approvers: ${found.map(({ keyFile }) => keyFile).join(", ")}.`,
    { exit: EXIT.usage, hint: "Name the key: --key FILE. For a key in an agent, name its .pub file." },
  );
}

function isValidNow(dates: DatedKey, now: number): boolean {
  return dateError(dates, now) === undefined;
}

/** The approvers by the ids of their keys. */
async function ownersOf(approvers: Approvers): Promise<ReadonlyMap<string, OwnedKey>> {
  const owners = new Map<string, OwnedKey>();
  for (const [approver, { keys }] of Object.entries(approvers))
    for (const line of keys) {
      const dates = parseDatedKey(line);
      owners.set(await sshKeyId(dates.key), { approver, dates });
    }
  return owners;
}

function publicFiles(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".pub"));
    return names.slice(0, MOST_FILES).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** `undefined` for a key of no approver, and for a file that cannot be read. */
async function keyAt(
  file: string,
  owners: ReadonlyMap<string, OwnedKey>,
): Promise<(SigningKey & OwnedKey) | undefined> {
  const publicFile = file.endsWith(".pub") ? file : `${file}.pub`;
  try {
    const publicKey = readFileSync(publicFile, "utf8").trimEnd();
    const owned = owners.get(await sshKeyId(parseSshPublicKey(publicKey)));
    return owned === undefined ? undefined : { ...owned, publicKey, keyFile: privateFile(file) };
  } catch {
    return undefined;
  }
}

/** The private key next to a public one; without it, an agent must hold it. */
function privateFile(file: string): string {
  const own = file.replace(/\.pub$/, "");
  try {
    readFileSync(own);
    return own;
  } catch {
    return file;
  }
}
