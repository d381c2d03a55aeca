import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { differencesSince } from "../../packages/cli/src/audit/collect/compare-heads.ts";
import { type Checkpoint, readCheckpoints } from "../../packages/cli/src/audit/evidence/checkpoint.ts";
import {
  type CliBench,
  type CliOutcome,
  cliBench,
  OWN_COMMAND,
  OWN_LINE,
  runProgram,
  shellQuoted,
} from "../cli/cli-bench.ts";
import { canHaveUsers, userJail } from "./user-jail.ts";

/** Three users, and only root can become each of them. */
const USERS = { ada: 2001, bob: 2002, eve: 2003 } as const;
type User = keyof typeof USERS;

const TOKEN = "token-of-root-alone";
let bench: CliBench;
let jail: ReturnType<typeof userJail<typeof USERS>>;
const inside = (path: string) => join(bench.base, path);

function environment(home: string): Readonly<Record<string, string>> {
  return { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, TOOLKEEP_DECIDER: "off" };
}

function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliOutcome> {
  return runProgram(jail.root(...argv), { env: { ...environment("/root"), ...env } });
}

const COLLECT = [...["audit", "collect", "--json", "--state", "/srv/audit"], ...["--sign", "/srv/key"]];

async function collect(...more: readonly string[]) {
  const outcome = await run([...OWN_COMMAND, ...COLLECT, ...more], { TOOLKEEP_AUDIT_TOKEN: TOKEN });
  return { ...outcome, users: outcome.stdout === "" ? [] : JSON.parse(outcome.stdout) };
}

function as(user: User, ...argv: readonly string[]): Promise<CliOutcome> {
  return runProgram(jail.as(user, `/home/${user}`, ...argv), { env: environment(`/home/${user}`) });
}

/** A call of the user's agent, which is recorded in a session of its own. */
async function call(user: User, session: string): Promise<void> {
  const payload = JSON.stringify({
    ...{ hook_event_name: "PreToolUse", session_id: session, cwd: `/home/${user}` },
    ...{ tool_name: "Bash", tool_input: { command: "git push origin main" }, tool_use_id: session },
  });
  const line = `printf %s ${shellQuoted(payload)} | ${OWN_LINE} hook claude-code`;
  const { code, stderr } = await as(user, "/bin/sh", "-c", line);
  expect(code, stderr).toBe(0);
}

const STORE = ".local/state/toolkeep/sessions";

beforeAll(() => {
  bench = cliBench();
  if (!canHaveUsers) return;
  jail = userJail(bench.base, USERS, ["--unshare-pid", "--unshare-net"]);
  mkdirSync(inside("srv/out"));
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", inside("srv/key")]);
});
afterAll(() => bench.remove());

/** Makes homes whose store is not one, and names them. Each of them is a user's to make. */
const HOSTILE = `
  for name in pipe link folder noise closed; do
    echo $name
    mkdir -m 700 $name
    mkdir -p -m 700 $name/${dirname(STORE)}
    store=$name/${STORE}
    [ $name = folder ] || mkdir -m 700 $store
    case $name in
      pipe) mkfifo $store/toolkeep.db ;;
      link) ln -s /srv/key $store/toolkeep.db ;;
      folder) mkdir -m 700 $store.own && touch $store.own/toolkeep.db && ln -s sessions.own $store ;;
      noise) head -c 100000 /dev/urandom > $store/toolkeep.db ;;
      closed) touch $store/toolkeep.db && chmod 0 $store ;;
    esac
  done`;

const lines = (file: string) =>
  readFileSync(inside(file), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe.runIf(canHaveUsers)("the records of all users, collected by root", () => {
  test("are signed with root's key, in one file for each user, and sent with machine and account", async () => {
    await Promise.all([call("ada", "one"), call("bob", "two")]);
    const { code, users, stderr } = await collect(
      "--to",
      "/srv/out/{user}.jsonl",
      "--sink",
      "/srv/out/all.jsonl",
    );
    expect([code, users], stderr).toMatchObject([
      0,
      [
        { user: "ada", sessions: 1 },
        { user: "bob", sessions: 1 },
      ],
    ]);
    const key = execFileSync("cat", [inside("srv/key.pub")], { encoding: "utf8" });
    for (const user of ["ada", "bob"] as const) {
      const [kept] = await readCheckpoints(readFileSync(inside(`srv/out/${user}.jsonl`), "utf8"), key);
      const of = { account: user, id: expect.stringMatching(/^\w{8}-/) };
      expect(kept?.checkpoint).toMatchObject({ count: 1, of });
    }
    const sent = lines("srv/out/all.jsonl");
    expect(new Set(sent.map(({ from }) => from.account))).toEqual(new Set(["ada", "bob"]));
    expect(sent.every(({ id, from }) => id.startsWith(`${from.account}/`))).toBe(true);
    expect(JSON.stringify(sent)).not.toContain("0123456789abcdef0123456789abcdef");
    const again = await collect("--to", "/srv/out/{user}.jsonl", "--sink", "/srv/out/all.jsonl");
    expect([again.code, again.users]).toMatchObject([0, [{ sent: 0 }, { sent: 0 }]]);
    expect(lines("srv/out/ada.jsonl")).toHaveLength(2);
  });

  test("are read by a process that has its user's rights, and neither key nor token", async () => {
    const database = `/home/bob/${STORE}/toolkeep.db`;
    const looked = await run(
      [
        "/bin/sh",
        "-c",
        `
        mkfifo /tmp/held
        setpriv --reuid=2002 --regid=2002 --clear-groups -- ${OWN_COMMAND[0]} -e "
          const { DatabaseSync } = require('node:sqlite');
          new DatabaseSync('${database}').exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
          console.log('held'); setInterval(() => {}, 1000);" > /tmp/held &
        HOLDER=$!
        read line < /tmp/held
        ${OWN_LINE} ${COLLECT.join(" ")} --longest 4 > /tmp/out 2>/dev/null &
        COLLECTOR=$!
        while kill -0 $COLLECTOR 2>/dev/null; do
          for found in $(pgrep -f 'audit read'); do
            grep -q '^Uid:.2002.2002.2002.2002' /proc/$found/status 2>/dev/null || continue
            grep -E '^(Uid|Gid|Groups|CapEff|SigCgt):' /proc/$found/status
            tr '\\0' '\\n' < /proc/$found/environ
            setpriv --reuid=2002 --regid=2002 --clear-groups -- cat /proc/$found/environ 2>&1
            break 2
          done
        done
        wait $COLLECTOR
        echo code $?
        cat /tmp/out
        kill $HOLDER`,
      ],
      { TOOLKEEP_AUDIT_TOKEN: TOKEN },
    );
    expect(looked.stdout, looked.stderr).toContain("CapEff:\t0000000000000000");
    expect(looked.stdout).toContain("Permission denied");
    // SIGUSR1, which opens the debugger of a Node.js process that catches it.
    const [, caught] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(looked.stdout) ?? [];
    expect(BigInt(`0x${caught}`) & (1n << BigInt(constants.signals.SIGUSR1 - 1))).toBe(0n);
    expect(looked.stdout).not.toContain(TOKEN);
    // Who locks their own record is named, and stops no other one.
    expect(looked.stdout).toContain("code 1");
    const [, json = ""] = looked.stdout.split(/^code 1$/m);
    expect(JSON.parse(json)).toMatchObject([
      { user: "ada", changed: [] },
      { user: "bob", failed: expect.any(String) },
    ]);
  });

  test("are collected although other users have hostile stores, which are named", async () => {
    const id = String(USERS.eve);
    const own = execFileSync("/bin/sh", ["-ec", HOSTILE], { cwd: inside("home/eve"), encoding: "utf8" });
    execFileSync("chown", ["-R", `${id}:${id}`, inside("home/eve")]);
    const hostile = own.trim().split("\n");
    const lines = hostile.map((name) => `${name}:x:${id}:${id}::/home/eve/${name}:/bin/bash`);
    appendFileSync(inside("etc/passwd"), `${lines.join("\n")}\n`);
    const { code, users } = await collect("--user", "ada", ...hostile, "bob");
    expect(code).toBe(1);
    const failed = users.filter((one: { failed?: string }) => one.failed !== undefined);
    expect(failed.map(({ user }: { user: string }) => user)).toEqual(hostile);
    expect(JSON.stringify(users)).not.toContain("PRIVATE KEY");
    expect(users).toHaveLength(hostile.length + 2);
  });

  test("that were removed, cut or rewritten since are named", async () => {
    await Promise.all([call("eve", "three"), call("ada", "four")]);
    const chosen = ["--user", "ada", "bob", "eve"];
    expect((await collect(...chosen)).code).toBe(0);
    await as("eve", "rm", "-rf", `/home/eve/${STORE}`);
    change("ada", "DELETE FROM sessions WHERE name LIKE '%four%'");
    change("bob", "UPDATE batches SET bytes = CAST(replace(CAST(bytes AS TEXT), 'git', 'got') AS BLOB)");
    const { code, users } = await collect(...chosen);
    expect(code).toBe(1);
    expect(users).toMatchObject([
      { user: "ada", changed: [expect.stringMatching(/four: it is missing/)] },
      { user: "bob", changed: [expect.stringMatching(/two/)] },
      { user: "eve", changed: ["the store was removed"] },
    ]);
  });

  test("are collected by root alone", async () => {
    const refused = await as("ada", ...OWN_COMMAND, "audit", "collect", "--user", "bob");
    expect([refused.code, refused.stderr]).toMatchObject([
      3,
      expect.stringContaining("sudo toolkeep audit collect"),
    ]);
    const direct = await as(
      "ada",
      "/bin/sh",
      "-c",
      `echo '{"account":{"name":"bob","uid":2002,"gid":2002},"folder":"/"}' | ${OWN_LINE} audit read`,
    );
    expect(direct.code).toBe(1);
    const shared = await collect("--to", "/srv/out/one.jsonl");
    expect([shared.code, shared.stderr]).toMatchObject([2, expect.stringContaining("{user}")]);
    const unknown = await collect("--user", "../eve");
    expect(unknown.code).toBe(2);
  });
});

/** Edits a record, as its owner can. */
function change(user: User, statement: string): void {
  using db = new DatabaseSync(inside(`home/${user}/${STORE}/toolkeep.db`));
  db.exec(statement);
}

describe("what root compares itself", () => {
  const hash = "ab".repeat(32);
  const known = { id: "known", seq: 4, hash, activeAt: 1 };
  const before = { sessions: [known] } as unknown as Checkpoint;
  const head = { sessionId: "known", nextSeq: 4, head: hash, activeAt: 1 };
  const asItWas = { sessionId: "known", state: "as it was" } as const;

  test.each([
    ["a session that the heads do not have", [], ["known: it is missing"]],
    ["a session that is shorter", [{ ...head, nextSeq: 3 }], ["known: it has fewer events"]],
    ["a session that ends otherwise", [{ ...head, head: "cd".repeat(32) }], ["known: its events differ"]],
    ["a session as it was", [head], []],
    ["a session that continued", [{ ...head, nextSeq: 5, head: "cd".repeat(32) }], []],
  ])("finds %s, whatever the reader says", (_, heads, changed) => {
    expect(differencesSince(before, { heads, compared: [asItWas] })).toEqual({ changed, removed: [] });
  });

  test("names a session once, as the reader found it", () => {
    const changed = { ...asItWas, state: "changed", diagnostic: "it has another name: x" } as const;
    const removed = { ...asItWas, state: "removed", diagnostic: "forgotten" } as const;
    const found = (one: typeof changed | typeof removed) =>
      differencesSince(before, { heads: [], compared: [one] });
    expect(found(changed)).toEqual({ changed: ["known: it has another name: x"], removed: [] });
    expect(found(removed)).toEqual({ changed: [], removed: ["known: forgotten"] });
  });
});
