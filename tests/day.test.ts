import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { blocked } from "../packages/cli/src/hooks/answer/blocked.ts";
import { isUndecided } from "./day/clients/undecided.ts";
import { plainRound, spelledRound } from "./day/dangerous/rounds.ts";
import { BUG_FIX } from "./day/hook/bug-fix.ts";
import { COMMAND_PAYLOADS } from "./day/hook/payloads-commands.ts";
import { TOOL_PAYLOADS } from "./day/hook/payloads-tools.ts";
import { brokenCheck } from "./day/unseen/check-reasons.ts";
import { checkReason } from "./day/unseen/claims.ts";
import { DAYS, stepsOf } from "./day/unseen/days.ts";
import { readTrace } from "./day/unseen/trace.ts";
import { everydayCommands } from "./day/workspace/everyday.ts";
import { REPOSITORIES } from "./day/workspace/repository-files.ts";

const PAYLOADS = [...COMMAND_PAYLOADS, ...TOOL_PAYLOADS];

describe("the recorded days", () => {
  test("have the steps and the calls that were recorded", () => {
    expect(BUG_FIX).toHaveLength(33);
    expect(PAYLOADS).toHaveLength(121);
    expect(new Set(PAYLOADS.map(({ call }) => JSON.stringify(call))).size).toBe(121);
  });

  test("have 42 false alarms and 33 right asks", () => {
    const asked = PAYLOADS.filter(({ was }) => was === "ask");
    expect(asked.filter(({ expected }) => expected === "allow")).toHaveLength(42);
    expect(asked.filter(({ expected }) => expected !== "allow")).toHaveLength(33);
  });

  test("have everyday commands for each repository", () => {
    for (const { name } of REPOSITORIES)
      expect(everydayCommands(name, { quick: true }).length, name).toBeGreaterThan(30);
  });
});

test("a hook that could not decide is told from one that refused", () => {
  const late = [blocked("it took too long.").stderr, "Denied by preToolUse hook: hook exited with code 2"];
  expect(late.map(isUndecided)).toEqual([true, true]);
  expect(isUndecided("Denied by preToolUse hook: Toolkeep: Keys stay where they are.")).toBe(false);
});

describe("the dangerous things", () => {
  const calls = (steps: ReturnType<typeof plainRound>) => steps.map(({ call }) => JSON.stringify(call));

  test("are many, and each is there once", () => {
    const plain = calls(plainRound());
    expect(plain.length).toBeGreaterThan(300);
    expect(new Set(plain).size).toBe(plain.length);
  });

  test("are spelled in other ways, and every way is used", () => {
    const spelled = spelledRound(1);
    const plain = new Set(calls(plainRound()));
    expect(calls(spelled).filter((one) => plain.has(one))).toEqual([]);
    const ways = new Set(spelled.map(({ name }) => name.split(":")[0]?.split(", ")[1]));
    expect(ways.size).toBeGreaterThan(70);
  });
});

describe("the reasons of the unseen days", () => {
  test("are checked by what a step does", () => {
    const reason =
      'Toolkeep: It runs code from "/home/ada/shop/Makefile", which this session changed. It deletes files. No policy rule matches this call. (shell.run make clean) it sets variables';
    expect(checkReason(reason, { ran: ["Makefile"] })).toMatchObject({
      untrue: ["It deletes files."],
      unknown: [],
    });
    expect(checkReason(reason, { ran: ["build.js"], deleted: ["bin"] }).untrue).toHaveLength(1);
    expect(checkReason("Toolkeep: It sings.", {}).unknown).toEqual(["It sings."]);
  });

  test("are checked for every step, and one that is made up is found", () => {
    expect(brokenCheck(DAYS.flatMap(stepsOf))).toEqual([]);
  });

  test("what a step does is read from its system calls", () => {
    using temporary = mkdtempDisposableSync(join(tmpdir(), "trace-"));
    const place = { home: "/home/ada", project: "/home/ada/shop" };
    const lines = [
      'execve("/usr/bin/make", ["make", "clean"], 0x1 /* 5 vars */) = 0',
      'openat(AT_FDCWD</home/ada/shop>, "Makefile", O_RDONLY) = 3</home/ada/shop/Makefile>',
      'unlinkat(AT_FDCWD</home/ada/shop>, "bin/api", 0) = 0',
      'openat(AT_FDCWD</home/ada/shop>, "/etc/motd", O_WRONLY|O_CREAT, 0666) = -1 EROFS (Read-only file system)',
      'connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.1")}, 16) = -1 ENETUNREACH (Network is unreachable)',
    ];
    writeFileSync(join(temporary.path, "trace.7"), lines.join("\n"));
    expect(readTrace(temporary.path, place)).toEqual({
      ran: ["Makefile"],
      deleted: ["bin/api"],
      wroteOutside: ["/etc/motd"],
      contacted: ["away"],
    });
  });
});
