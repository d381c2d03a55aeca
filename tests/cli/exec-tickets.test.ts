import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { CliBench, CliOutcome } from "./cli-bench.ts";
import {
  confinedBench,
  exec,
  hasRun,
  hasSandbox,
  type Replaced,
  replaced,
  startExec,
  ticketFiles,
  ticketFolder,
} from "./confined-bench.ts";
import { writePolicy } from "./hook-bench.ts";

const COMMAND = "touch RAN";

let bench: CliBench;
let other: string;

beforeAll(async () => {
  if (!hasSandbox) return;
  bench = await confinedBench();
  other = join(bench.base, "other");
  mkdirSync(join(other, ".git"), { recursive: true });
  return bench.remove;
});

beforeEach(() => {
  if (!hasSandbox) return;
  rmSync(join(bench.project, "RAN"), { force: true });
});
afterEach(() => vi.restoreAllMocks());

/** What an attacker does with a ticket that was issued. */
type Attack = (issued: Replaced) => Promise<CliOutcome> | CliOutcome;

const use = ({ token }: Replaced, ...args: readonly string[]) =>
  exec(bench, { token, args: args.length === 0 ? [COMMAND] : args });

/** Changes the file of the only ticket. */
function change(edit: (file: string) => void): Attack {
  return (issued) => {
    const [file = ""] = ticketFiles(bench);
    edit(file);
    return use(issued);
  };
}

/** Changes the folder of the tickets, and puts it right again. */
function changeFolder(edit: (folder: string, aside: string) => void, undo: () => void): Attack {
  return async (issued) => {
    const folder = ticketFolder(bench);
    edit(folder, `${folder}-aside`);
    try {
      return await use(issued);
    } finally {
      undo();
      if (existsSync(`${folder}-aside`)) {
        rmSync(folder, { recursive: true, force: true });
        renameSync(`${folder}-aside`, folder);
      }
    }
  };
}

const ATTACKS: readonly (readonly [string, Attack])[] = [
  ["a ticket that was made up", () => exec(bench, { token: "0123456789abcdef".repeat(2), args: [COMMAND] })],
  ["a ticket that is a path", () => exec(bench, { token: "../sessions/toolkeep.db", args: [COMMAND] })],
  [
    "the name of the file instead of the secret",
    () => {
      const [file = ""] = ticketFiles(bench);
      return exec(bench, { token: file.slice(-32), args: [COMMAND] });
    },
  ],
  ["another command", (issued) => use(issued, "touch RAN; touch RAN2")],
  ["the command with a space behind it", (issued) => use(issued, `${COMMAND} `)],
  ["the command with a newline behind it", (issued) => use(issued, `${COMMAND}\n`)],
  ["the command with another kind of space", (issued) => use(issued, "touch\u00a0RAN")],
  ["the command in letters that look the same", (issued) => use(issued, "touch RАN")],
  ["the command as several arguments", (issued) => use(issued, "touch", "RAN")],
  ["an argument more", (issued) => use(issued, COMMAND, "&& touch RAN2")],
  [
    "another directory of the project",
    ({ token }) => exec(bench, { token, args: [COMMAND], cwd: join(bench.project, "src") }),
  ],
  ["another project", ({ token }) => exec(bench, { token, args: [COMMAND], cwd: other })],
  [
    "another directory by an option",
    ({ token }) =>
      bench.run(["exec", "--cwd", bench.project, "--ticket", token, "--", COMMAND], { cwd: other }),
  ],
  [
    "another conversation",
    ({ token }) => exec(bench, { token, args: [COMMAND], env: { CLAUDE_CODE_SESSION_ID: "another" } }),
  ],
  [
    "the state of another home",
    ({ token }) =>
      exec(bench, { token, args: [COMMAND], env: { TOOLKEEP_HOME: join(bench.base, "forged") } }),
  ],
  [
    "the state of another user by XDG",
    ({ token }) =>
      exec(bench, { token, args: [COMMAND], env: { TOOLKEEP_HOME: "", XDG_STATE_HOME: bench.home } }),
  ],
  [
    "a file whose command was edited",
    change((file) => {
      writeFileSync(file, readFileSync(file, "utf8").replaceAll("touch RAN", "touch  RAN"));
    }),
  ],
  ["a file whose end was cut off", change((file) => truncateSync(file, 100))],
  ["an empty file", change((file) => truncateSync(file, 0))],
  [
    "a file of JSON without a signature",
    change((file) => {
      const { body } = JSON.parse(readFileSync(file, "utf8"));
      writeFileSync(file, JSON.stringify({ body, mac: "" }));
    }),
  ],
  [
    "a link to a file of the project",
    change((file) => {
      const planted = join(bench.project, "planted");
      renameSync(file, planted);
      symlinkSync(planted, file);
    }),
  ],
  [
    "a folder instead of the file",
    change((file) => {
      rmSync(file);
      mkdirSync(file);
    }),
  ],
  [
    "a link instead of the folder",
    changeFolder(
      (folder, aside) => {
        renameSync(folder, aside);
        symlinkSync(aside, folder);
      },
      () => rmSync(ticketFolder(bench)),
    ),
  ],
  [
    "a folder that others may write to",
    changeFolder(
      (folder) => chmodSync(folder, 0o777),
      () => chmodSync(ticketFolder(bench), 0o700),
    ),
  ],
  [
    "a ticket that a process took before it was killed",
    change((file) => {
      renameSync(file, join(dirname(file), "taken-by-a-crashed-process"));
    }),
  ],
];

describe.skipIf(!hasSandbox)("a ticket runs nothing", () => {
  test("control: the decided command runs with it, once", async () => {
    const issued = await replaced(COMMAND, bench);
    expect(await use(issued)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(hasRun(bench)).toBe(true);
    const again = await use(issued);
    expect(again).toMatchObject({ code: 126, stdout: "", stderr: expect.stringContaining("used already") });
    expect(hasRun(bench)).toBe(false);
  });

  test.each(ATTACKS)("as %s", async (_, attack) => {
    rmSync(ticketFolder(bench), { recursive: true, force: true });
    const issued = await replaced(COMMAND, bench);
    const { code, stderr, stdout } = await attack(issued);
    expect([code, stdout], stderr).toEqual([126, ""]);
    expect(stderr).toMatch(/^toolkeep: Not run: .+\n$/);
    expect(hasRun(bench) || hasRun(bench, "RAN2")).toBe(false);
  });

  test.each([
    ["its time is over", -6 * 60_000],
    ["it is from the future", 60_000],
  ])("because %s", async (_, shift) => {
    const now = Date.now();
    vi.spyOn(Date, "now").mockImplementation(() => now + shift);
    const issued = await replaced(COMMAND, bench);
    expect(await use(issued)).toMatchObject({ code: 126, stderr: expect.stringContaining("time") });
    expect(hasRun(bench)).toBe(false);
  });

  test("whose content is that of another ticket", async () => {
    rmSync(ticketFolder(bench), { recursive: true, force: true });
    const issued = await replaced(COMMAND, bench);
    const [file = ""] = ticketFiles(bench);
    await replaced("touch RAN2", bench);
    const [second = ""] = ticketFiles(bench).filter((one) => one !== file);
    renameSync(second, file);
    expect(await use(issued)).toMatchObject({ code: 126 });
    expect(await exec(bench, { token: issued.token, args: ["touch RAN2"] })).toMatchObject({ code: 126 });
    expect(hasRun(bench) || hasRun(bench, "RAN2")).toBe(false);
  });

  test("whose directory was exchanged for a link", async () => {
    const folder = join(bench.project, "swapped");
    mkdirSync(folder);
    const { token } = await replaced(COMMAND, bench, { cwd: folder });
    rmSync(folder, { recursive: true });
    symlinkSync(other, folder);
    expect(await exec(bench, { token, args: [COMMAND], cwd: folder })).toMatchObject({ code: 126 });
    expect(existsSync(join(other, "RAN"))).toBe(false);
  });

  test("after the policy changed", async () => {
    const issued = await replaced(COMMAND, bench);
    const config = join(bench.environment.TOOLKEEP_HOME, "config");
    writePolicy(bench, "version: 1\nrules:\n  - deny shell.run *\n");
    try {
      expect(await use(issued)).toMatchObject({ code: 126, stderr: expect.stringContaining("policy") });
      expect(hasRun(bench)).toBe(false);
    } finally {
      rmSync(config, { recursive: true });
    }
  });

  test.each([20])("of %s processes but the first", async (count) => {
    const command = "echo x >> COUNT";
    const { token } = await replaced(command, bench);
    const races = Array.from({ length: count }, () => exec(bench, { token, args: [command] }));
    const codes = (await Promise.all(races)).map(({ code }) => code);
    expect(codes.toSorted()).toEqual([0, ...Array.from({ length: count - 1 }, () => 126)]);
    expect(readFileSync(join(bench.project, "COUNT"), "utf8")).toBe("x\n");
    rmSync(join(bench.project, "COUNT"));
  });

  test("again, of a process that was killed after it took it", async () => {
    const issued = await replaced(COMMAND, bench);
    const before = ticketFiles(bench).length;
    const child = startExec(bench, issued);
    while (ticketFiles(bench).length === before && child.exitCode === null) await pause(2);
    child.kill("SIGKILL");
    await pause(3_000);
    hasRun(bench);
    expect(await use(issued)).toMatchObject({ code: 126 });
    expect(hasRun(bench)).toBe(false);
  });

  test("of programs that the search path names", async () => {
    const folder = join(bench.base, "fake");
    mkdirSync(folder, { recursive: true });
    for (const name of ["bwrap", "prlimit", "toolkeep", "node", "bash", "sh", "env"])
      writeFileSync(join(folder, name), `#!/bin/sh\n: > ${folder}/FAKED\nexit 0\n`, { mode: 0o755 });
    const { line } = await replaced(COMMAND, bench);
    const PATH = `${folder}:${bench.environment.PATH}`;
    const { runProgram } = await import("./cli-bench.ts");
    await runProgram(["/bin/bash", "-c", line], { cwd: bench.project, env: { ...bench.environment, PATH } });
    expect(readdirSync(folder)).not.toContain("FAKED");
    expect(hasRun(bench)).toBe(true);
  });
});
