import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  lstatSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askDecider } from "../../packages/cli/src/hooks/decider/ask-decider.ts";
import { frameOf } from "../../packages/cli/src/hooks/decider/frames.ts";
import { type DeciderRequest, PROTOCOL } from "../../packages/cli/src/hooks/decider/protocol.ts";
import { stampOf, viewOfProcess } from "../../packages/cli/src/hooks/decider/run-folder.ts";
import { OWN_COMMAND } from "./cli-bench.ts";
import { bashPayload, type DeciderBench, deciderBench, decisionIn, readPayload } from "./decider-bench.ts";
import type { Payload } from "./payloads.ts";

const [NODE, MAIN] = OWN_COMMAND;

let bench: DeciderBench;
beforeEach(() => {
  bench = deciderBench();
});
afterEach(() => bench.remove());

const read = (session?: string) => readPayload(bench, join(bench.project, "src/a.ts"), session);

/** Asks the decider itself. */
function ask(payload: Payload, changes: Partial<Record<keyof DeciderRequest, unknown>> = {}) {
  const request = {
    ...{ protocol: PROTOCOL, program: stampOf(realpathSync(MAIN)), view: viewOfProcess() },
    ...{ cwd: bench.project, environment: bench.hookEnvironment, client: "claude-code" },
    ...{ text: JSON.stringify(payload), ...changes },
  };
  const limits = { acceptMs: 15_000, answerMs: 15_000 };
  return askDecider({ path: bench.socket(), frame: frameOf(request), client: "claude-code", ...limits });
}

async function callsOf(session: string): Promise<number> {
  const store = openSqliteStore({ path: join(bench.environment.TOOLKEEP_HOME, "state/sessions") });
  try {
    expect(await store.verify(session)).toMatchObject({ intact: true });
    let calls = 0;
    for await (const { type } of store.events(session)) if (type === "call-end") calls += 1;
    return calls;
  } finally {
    await store.close();
  }
}

describe("the decider", () => {
  test("is started once by twenty hooks at once, which are all decided", async () => {
    const hooks = Array.from({ length: 20 }, () => bench.hook(read()));
    const decisions = (await Promise.all(hooks)).map(decisionIn);
    expect(new Set(decisions)).toEqual(new Set(["allow"]));
    await bench.untilDeciders(1);
    expect(await callsOf("claude-code.abc123")).toBe(20);
  });

  test("answers twenty hooks of one conversation at once, and records each of them", async () => {
    await bench.hook(read());
    const [pid] = await bench.untilDeciders(1);
    const hooks = Array.from({ length: 20 }, (_, index) =>
      bench.hook({ ...read(), tool_use_id: `toolu_${index}` }),
    );
    for (const outcome of await Promise.all(hooks)) expect(outcome).toMatchObject({ code: 0, stderr: "" });
    // Each is accepted at once: none waits for a lease that another one has.
    const asks = Array.from({ length: 20 }, () => ask(read()));
    for (const asked of await Promise.all(asks)) expect(asked.kind).toBe("answer");
    expect(bench.deciders()).toEqual([pid]);
    expect(await callsOf("claude-code.abc123")).toBe(41);
  });

  test("writes to a store that was replaced, and not to the one that it had open", async () => {
    await bench.hook(read());
    const [pid] = await bench.untilDeciders(1);
    rmSync(join(bench.environment.TOOLKEEP_HOME, "state/sessions"), { recursive: true });
    expect(await ask(read())).toMatchObject({ kind: "answer" });
    expect(await callsOf("claude-code.abc123")).toBe(1);
    expect(bench.deciders()).toEqual([pid]);
  });

  test("records every outcome that is reported at once", async () => {
    await bench.hook(read());
    await bench.untilDeciders(1);
    const reports = Array.from({ length: 10 }, (_, index) =>
      ask({ ...read(), hook_event_name: "PostToolUse", tool_use_id: `toolu_${index}`, tool_response: {} }),
    );
    for (const asked of await Promise.all(reports)) expect(asked.kind).toBe("answer");
    expect(await callsOf("claude-code.abc123.outcomes")).toBe(10);
  });

  test("that is started twice runs once", async () => {
    await bench.hook(read());
    await bench.untilDeciders(1);
    const path = bench.socket();
    const start = () => spawn(NODE, [MAIN, "decider", path], { env: {}, stdio: "ignore" });
    // With one that answers, and then with the socket of one that was killed.
    await Promise.all([start(), start()].map((child) => once(child, "exit")));
    const [pid = 0] = await bench.untilDeciders(1);
    process.kill(pid, "SIGKILL");
    await bench.untilDeciders(0);
    const four = Array.from({ length: 4 }, start);
    await expect.poll(() => four.filter(({ exitCode }) => exitCode !== null).length).toBe(3);
    await bench.untilDeciders(1);
    expect(decisionIn(await bench.hook(read()))).toBe("allow");
    expect(bench.deciders()).toHaveLength(1);
  });

  test("decides at the same time as hooks in process, in one conversation", async () => {
    const hooks = Array.from({ length: 8 }, (_, index) =>
      bench.hook(read(), index % 2 === 0 ? {} : { env: { TOOLKEEP_DECIDER: "off" } }),
    );
    const decisions = (await Promise.all(hooks)).map(decisionIn);
    expect(new Set(decisions)).toEqual(new Set(["allow"]));
    expect(await callsOf("claude-code.abc123")).toBe(8);
  });

  test("that is killed at any moment leaves whole journals and no wrong answer", async () => {
    const outcomes: string[] = [];
    let isDone = false;
    const killing = (async () => {
      while (!isDone) {
        await wait(300 + Math.random() * 900);
        for (const pid of bench.deciders()) process.kill(pid, "SIGKILL");
      }
    })();
    for (let round = 0; round < 3; round++) {
      const hooks = [0, 1, 2].map(() => bench.hook(bashPayload(bench, "git push --force origin main")));
      outcomes.push(...(await Promise.all(hooks)).map(decisionIn));
    }
    isDone = true;
    await killing;
    expect(outcomes.filter((one) => one !== "deny" && one !== "blocked")).toEqual([]);
    expect(decisionIn(await bench.hook(read()))).toBe("allow");
    expect(await callsOf("claude-code.abc123")).toBeGreaterThan(0);
  });

  test("that hangs does not hold up a hook, and is replaced", async () => {
    await bench.hook(read());
    const [pid = 0] = await bench.untilDeciders(1);
    const hung = lstatSync(bench.socket()).ino;
    process.kill(pid, "SIGSTOP");
    const started = Date.now();
    expect(decisionIn(await bench.hook(read()))).toBe("allow");
    expect(Date.now() - started).toBeLessThan(29_000);
    // The new one has taken the socket over before the old one continues.
    while (lstatSync(bench.socket()).ino === hung) await wait(50);
    process.kill(pid, "SIGCONT");
    const [left] = await bench.untilDeciders(1);
    expect(left).not.toBe(pid);
    expect(decisionIn(await bench.hook(read()))).toBe("allow");
  });

  test("of a replaced program is not used, whether the new one is newer or older", async () => {
    const copy = join(bench.base, "copy");
    cpSync(join(MAIN, "../../../.."), copy, { recursive: true, verbatimSymlinks: true });
    const program = join(copy, "packages/cli/dist/main.js");
    const older = readFileSync(program);
    const hook = async () => decisionIn(await bench.hook(read(), { program }));
    const replaced = async (change: () => void) => {
      expect(await hook()).toBe("allow");
      const [before = 0] = await bench.untilDeciders(1);
      change();
      expect(await hook()).toBe("allow");
      while (bench.deciders().includes(before)) await wait(50);
    };
    await replaced(() => appendFileSync(program, "\n// A newer one.\n"));
    await replaced(() => writeFileSync(program, older));
    await replaced(() => {
      rmSync(program);
      writeFileSync(program, older);
    });
  });

  test("refuses a client with another program, other files, or other groups", async () => {
    await bench.hook(read());
    await bench.untilDeciders(1);
    expect(await ask(read())).toMatchObject({ kind: "answer" });
    for (const changes of [
      { protocol: 2 },
      { program: "1 2 3 4 5" },
      { view: "1:2 mnt:[3]" },
      { view: `${viewOfProcess()},4711` },
      { cwd: "/nowhere/at/all" },
      { client: "notepad" },
      { environment: null },
      { text: 1 },
    ])
      expect(await ask(read(), changes)).toEqual({ kind: "refused" });
    expect(bench.deciders()).toHaveLength(1);
  });

  test("decides for its own user, whatever a message says", async () => {
    await bench.hook(read());
    await bench.untilDeciders(1);
    const environment = { ...bench.hookEnvironment, USER: "other", LOGNAME: "other", USERNAME: "other" };
    const payload = { ...read("claimed"), user: "other", principal: { user: "other" } };
    const claims = { user: "other", uid: 4711, principal: { user: "other" } };
    expect(await ask(payload, { environment, ...claims } as object)).toMatchObject({ kind: "answer" });
    await using store = openSqliteStore({ path: join(bench.environment.TOOLKEEP_HOME, "state/sessions") });
    const opened = await Array.fromAsync(store.events("claude-code.claimed", { types: ["session-open"] }));
    expect(opened).toMatchObject([{ principal: { user: userInfo().username } }]);
    expect(JSON.stringify(opened)).not.toContain("other");
  });

  test("decides for callers with different environments at the same time", async () => {
    await bench.hook(read());
    await bench.untilDeciders(1);
    const homes = ["one", "two", "three"].map((name) => join(bench.base, name));
    const asks = Array.from({ length: 30 }, async (_, index) => {
      const home = homes[index % homes.length] ?? "";
      const environment = { ...bench.hookEnvironment, HOME: home };
      const asked = await ask(bashPayload(bench, "touch ~/note", `own-${index}`), { environment });
      return asked.kind === "answer" && asked.answer.stdout.includes(join(home, "note"));
    });
    expect(await Promise.all(asks)).toEqual(asks.map(() => true));
  });

  test.runIf(process.platform === "linux")("does not grow with the requests", async () => {
    await bench.hook(read());
    const [pid] = await bench.untilDeciders(1);
    const megabytes = () => {
      const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      return Number(kilobytes) / 1_024;
    };
    for (let index = 0; index < 100; index++) await ask(read(`own-${index}`));
    const before = megabytes();
    for (let index = 0; index < 200; index++) await ask(read(`own-${index + 100}`));
    expect(megabytes()).toBeLessThan(350);
    expect(megabytes() - before).toBeLessThan(80);
  });
});
