import { readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";

/** The user of a process and the groups of that user. */
export interface OsUser {
  readonly user: string;
  /** Missing where the system has none. */
  readonly groups?: readonly string[];
}

/** What the system says. */
export interface OsAccounts {
  userId(): number | undefined;
  groupIds(): readonly number[] | undefined;
  /** The name of the user of this process. @throws Error if it has none. */
  userName(): string;
  /** The text of `/etc/group`. */
  groupFile(): string;
}

const GROUP_FILE = "/etc/group";
/** The file of a large company has some hundred kilobytes. */
const MOST_BYTES = 16_000_000;

/** Node asks `getpwuid` for the name of the effective user id, and reads no variable. */
const SYSTEM: OsAccounts = {
  userId: () => process.geteuid?.(),
  groupIds: () => process.getgroups?.(),
  userName: () => userInfo().username,
  groupFile: () => (statSync(GROUP_FILE).size > MOST_BYTES ? "" : readFileSync(GROUP_FILE, "utf8")),
};

let known: { readonly ids: string; readonly user: OsUser } | undefined;

/**
 * The user and the groups of this process as the kernel has them. No variable of the environment changes them. Names are
 * those of the account database and of `/etc/group`; an id without a name is `uid:1000` or `gid:1000`, so that a rule can
 * name it all the same. Read once, and again if the ids change.
 */
export function osUser(accounts: OsAccounts = SYSTEM): OsUser {
  const ids = [accounts.userId(), ...(accounts.groupIds() ?? [])].join(" ");
  if (accounts === SYSTEM && known?.ids === ids) return known.user;
  const user = readUser(accounts);
  if (accounts === SYSTEM) known = { ids, user };
  return user;
}

function readUser(accounts: OsAccounts): OsUser {
  const user = userName(accounts);
  const ids = accounts.groupIds();
  return Object.freeze(ids === undefined ? { user } : { user, groups: groupNames(ids, accounts) });
}

function userName(accounts: OsAccounts): string {
  try {
    const name = accounts.userName();
    if (isName(name)) return name;
  } catch {
    // The account database does not know the id.
  }
  return `uid:${accounts.userId() ?? "unknown"}`;
}

/** Every name of every id: a group may have two. */
function groupNames(ids: readonly number[], accounts: OsAccounts): readonly string[] {
  const names = new Map<number, string[]>(ids.map((id) => [id, []]));
  for (const [name = "", , id = ""] of groupLines(accounts))
    if (/^\d+$/.test(id) && isName(name)) names.get(Number(id))?.push(name);
  const all = [...names].flatMap(([id, own]) => (own.length === 0 ? [`gid:${id}`] : own));
  return Object.freeze([...new Set(all)]);
}

function groupLines(accounts: OsAccounts): readonly string[][] {
  try {
    return accounts
      .groupFile()
      .split("\n")
      .map((line) => line.split(":"));
  } catch {
    return [];
  }
}

/** A colon would make it look like an id. */
function isName(name: string): boolean {
  return name !== "" && !/[\p{Cc}:]/u.test(name);
}
