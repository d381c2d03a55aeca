import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { isWithin, unlessThrown } from "@toolkeep/core/internal";
import { accountHome, readConfig } from "@toolkeep/node/internal";
import { usageError } from "../../terminal/command-error.ts";

/** A user of the machine, as the system knows them. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** The ids that distributions give to people; beneath and above are services and accounts without a person. */
const FIRST_PERSON = 1000;
const LAST_PERSON = 60_000;
const NO_LOGIN = /\/(?:nologin|false)$/;

/** The accounts with these names; without names, those that people log in to. @throws CommandError */
export function accountsOf(names: readonly string[] = []): readonly Account[] {
  if (names.length > 0) return names.map(accountNamed);
  return readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .filter((line) => !NO_LOGIN.test(line))
    .flatMap((line) => accountOf(line) ?? [])
    .filter(({ uid }) => uid >= FIRST_PERSON && uid <= LAST_PERSON);
}

/** A directory service may know accounts that are not in the file. */
function accountNamed(name: string): Account {
  const line = passwdLine(name);
  const account = line === undefined ? undefined : accountOf(line);
  if (account?.name === name && account.uid > 0) return account;
  throw usageError(
    `${JSON.stringify(name)} is not a user of this machine whose records can be read.`,
    "Run `getent passwd` to see the users.",
  );
}

function passwdLine(name: string): string | undefined {
  return unlessThrown(() =>
    execFileSync("getent", ["passwd", "--", name], {
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin" },
    }),
  );
}

/** The name becomes a file name and goes into what root signs. */
function accountOf(line: string): Account | undefined {
  const [name = "", , uid = "", gid = "", , home = ""] = line.trim().split(":");
  if (!/^\w[\w.@-]*$/.test(name) || !/^\d+$/.test(uid) || !/^\d+$/.test(gid) || !isAbsolute(home))
    return undefined;
  return { name, uid: Number(uid), gid: Number(gid), home };
}

const DEFAULT_STORE = ".local/state/toolkeep/sessions";

/**
 * Where the administrator has the records of each user. `~` in `journal.folder` is the home folder of the account that
 * it is read for. A folder without `~` is the same for all.
 */
export async function storeFolders(cwd: string): Promise<(account: Account) => string> {
  const { origins } = await readConfig({ cwd });
  const managed = origins.get("journal.folder")?.find(({ layer }) => layer === "managed")?.value;
  const own = accountHome();
  const folder = typeof managed === "string" ? managed : join(own, DEFAULT_STORE);
  return isWithin(folder, own) ? ({ home }) => join(home, relative(own, folder)) : () => folder;
}
