import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxProfile } from "@toolkeep/core/ports";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { probeSandbox } from "../probe/probe-sandbox.ts";
import { runLine } from "../testing/sandboxed-workspace.test.kit.ts";
import { bubblewrapSandbox } from "./bubblewrap.ts";
import { isContained } from "./contained-root.ts";

const { isolation } = await probeSandbox(bubblewrapSandbox());
const isTried = process.getuid?.() === 0 && isContained() && isolation !== "none";
const reason = isTried ? "" : ": skipped, this is not root of a container in which bubblewrap works";

let folder: string;
let path: string;

beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, "workspace");
  mkdirSync(path);
  writeFileSync(join(path, "a.txt"), "one\n", { mode: 0o600 });
});

function profile(changes: Partial<SandboxProfile> = {}): SandboxProfile {
  const environment = { PATH: "/usr/bin:/bin:/usr/sbin", HOME: "/home/toolkeep" };
  const none = { read: [], guarded: [], hidden: [], hosts: [] };
  return { ...none, write: [path], cwd: path, environment, ...changes };
}

async function run(line: string, changes: Partial<SandboxProfile> = {}): Promise<string> {
  const sandbox = bubblewrapSandbox({ protection: { quarantine: join(folder, "quarantine") } });
  const { output, complaint } = await runLine(sandbox, `exec 2>&1; ${line}`, profile(changes));
  return complaint === undefined ? output : `${output}${String(complaint)}`;
}

describe.skipIf(!isTried)(`in a folder of root's, in a container${reason}`, () => {
  test("commands write, and git works, as outside", async () => {
    const identity = "-c user.name=T -c user.email=t@example.com";
    execFileSync("git", ["init", "-q"], { cwd: path });
    expect(await run(`cat a.txt; echo two > b.txt; git add -A; git ${identity} commit -qm x; id -u`)).toBe(
      "one\n0\n",
    );
    expect(statSync(join(path, "b.txt")).uid).toBe(0);
    expect(
      await run("git status --short; git log --oneline; cat a.txt", { write: [], read: [path] }),
    ).toMatch(/^\w+ x\none\n$/);
    expect(execFileSync("git", ["status", "--short"], { cwd: path, encoding: "utf8" })).toBe("");
  });

  test("a command has no capabilities, and cannot get any", async () => {
    const output = await run(
      "grep ^Cap /proc/self/status | sort -u -k2; chown 1 a.txt; mount -t tmpfs x /tmp; unshare -U true; su -c id daemon; echo x > /etc/passwd; touch /usr/x",
    );
    expect(output).toMatch(/^Cap\w+:\t0+\n(?!Cap)/);
    expect(output).toMatch(/chown: [\s\S]*mount: [\s\S]*unshare: [\s\S]*Read-only[\s\S]*Read-only/);
    expect(statSync(join(path, "a.txt")).uid).toBe(0);
  });

  test("a file that it makes lends no rights of root", async () => {
    const perl = (call: string) =>
      `perl -e '$f = "$$"; $s = "x" x 24; print "failed " if syscall(${call}) < 0'`;
    const output = await run(
      [
        "cp /usr/bin/id one; chmod u+s one; chmod 6755 one; chmod g+s one; chmod 755 one",
        "python3 -c \"import os; os.open('two', os.O_CREAT | os.O_WRONLY, 0o4755)\" 2>&1 | tail -1",
        "python3 -c \"import os; os.mknod('three', 0o104755)\" 2>&1 | tail -1",
        "python3 -c \"import os; os.open('.', os.O_TMPFILE | os.O_WRONLY, 0o4755)\" 2>&1 | tail -1",
        perl("85, $f, 04755"),
        perl("452, -100, $f, 04755, 0"),
        perl("437, -100, $f, $s, 24"),
      ].join("; "),
    );
    expect(output.match(/not permitted/g)).toHaveLength(6);
    expect(output.match(/failed/g)).toHaveLength(3);
    for (const name of ["two", "three"]) expect(existsSync(join(path, name))).toBe(false);
    expect(statSync(join(path, "one")).mode & 0o7777).toBe(0o755);
  });

  test("a command changes nothing of the kernel that root may change as the owner of a file", async () => {
    const output = await run(
      "for f in $(find /proc -path '/proc/[0-9]*' -prune -o -path '/proc/*self' -prune -o -type f -perm /222 -print); do (: >> $f) 2> /dev/null && echo open $f; done; echo end",
    );
    expect(output).toBe("end\n");
  });

  test("a command with all of the network is refused", async () => {
    await expect(run("true", { hosts: "any" })).rejects.toThrow(
      /all of the network as root.*belongs to root/,
    );
  });

  test("a folder of an ordinary user still means that user", async () => {
    const other = join(folder, "other");
    mkdirSync(other);
    chmodSync(folder, 0o711);
    execFileSync("chown", ["12345:12345", other]);
    expect(await run("id -u", { write: [other], cwd: other })).toBe("12345\n");
  });
});
