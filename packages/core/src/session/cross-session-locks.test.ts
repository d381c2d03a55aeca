import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sleep, until } from "../../../../tests/scenario.ts";
import { effect, fsWrite } from "../contract/call/effect.ts";
import type { ToolCall } from "../contract/stages/call.ts";
import type { ToolContext } from "../contract/tool/tool.ts";
import { ProcessLocks } from "../locks/process-locks.ts";
import { runTwice } from "../testing/run-twice.test.kit.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { createSession } from "./create-session.ts";

const RULES = ["allow *"];

const call = (name: string, args: Record<string, unknown>, id = "1"): ToolCall => ({
  id,
  name,
  arguments: args,
});

/** Counts how many work at the same time. */
class Crowd {
  most = 0;
  finished = 0;
  #now = 0;

  async work(): Promise<string> {
    this.#now += 1;
    this.most = Math.max(this.most, this.#now);
    await sleep(20);
    this.#now -= 1;
    this.finished += 1;
    return "done";
  }
}

function writing(crowd: Crowd) {
  return stubTool("write", () => crowd.work(), {
    idempotent: false,
    requires: { fs: { write: ["/**"] } },
    effects: ({ path }) => [fsWrite(String(path))],
  }).tool;
}

/** A tool that wants to be alone with what it deploys to. */
function deploying(execute: (args: Record<string, unknown>, ctx: ToolContext) => unknown, name = "deploy") {
  return stubTool(name, execute, {
    idempotent: false,
    requires: { capabilities: ["deploy.run"] },
    effects: ({ to }) => [effect("deploy.run", String(to))],
    locks: ["deploy.run"],
  });
}

describe("calls of several sessions", () => {
  const inWorkspace = async (crowd: Crowd, locks: readonly string[], workspace: string) =>
    createSession({
      tools: [writing(crowd)],
      policy: { rules: RULES, locks },
      variables: { workspace: [workspace] },
    });

  test("run one after the other in a workspace where the policy wants that", async () => {
    const crowd = new Crowd();
    const sessions = await Promise.all([1, 2, 3].map(() => inWorkspace(crowd, ["fs.write"], "/locked")));
    await Promise.all(sessions.map((one, n) => one.call(call("write", { path: `/locked/${n}` }))));
    expect([crowd.most, crowd.finished]).toEqual([1, 3]);
  });

  test.each([
    ["the policy wants nothing", [], "/free", "/free"],
    ["they work elsewhere", ["fs.*"], "/here", "/there"],
  ])("run together where %s", async (_name, locks, here, there) => {
    const together = Promise.withResolvers<void>();
    let begun = 0;
    const { tool } = stubTool(
      "write",
      () => {
        begun += 1;
        if (begun === 2) together.resolve();
        return together.promise;
      },
      {
        requires: { fs: { write: ["/**"] } },
        effects: ({ path }) => [fsWrite(String(path))],
      },
    );
    const session = (workspace: string) =>
      createSession({
        tools: [tool],
        policy: { rules: RULES, locks },
        variables: { workspace: [workspace] },
      });
    const [one, other] = [await session(here), await session(there)];
    await Promise.all([
      one.call(call("write", { path: `${here}/a` })),
      other.call(call("write", { path: `${there}/b` })),
    ]);
    expect(begun).toBe(2);
  });

  test("run one after the other for a resource that their tool names", async () => {
    const crowd = new Crowd();
    const { tool } = deploying(() => crowd.work());
    const sessions = await Promise.all([1, 2, 3].map(() => createSession({ tools: [tool], policy: RULES })));
    const outcomes = await Promise.all(sessions.map((one) => one.call(call("deploy", { to: "production" }))));
    expect([crowd.most, crowd.finished]).toEqual([1, 3]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, true]);
  });
});

describe("a call that waits for another session", () => {
  /** One session that holds the lock until it is told to go on, and another one that asks for it. */
  async function holding(to: string) {
    const finish = Promise.withResolvers<void>();
    const first = deploying(() => finish.promise);
    const second = deploying(() => "deployed");
    const holder = await createSession({ tools: [first.tool], policy: RULES });
    const held = holder.call(call("deploy", { to }));
    await until(() => first.executed.length === 1);
    const waiter = await createSession({ tools: [second.tool], policy: RULES });
    return { finish, held, waiter, second };
  }

  test("can be cancelled, and is not in anybody's way then", async () => {
    const { finish, held, waiter, second } = await holding("cancelled");
    const waiting = waiter.call(call("deploy", { to: "cancelled" }));
    await sleep(20);
    waiter.cancel();
    expect((await waiting).failure?.code).toBe("cancelled");
    expect(second.executed).toEqual([]);
    finish.resolve();
    await held;
    const later = await createSession({ tools: [second.tool], policy: RULES });
    expect((await later.call(call("deploy", { to: "cancelled" }))).data).toBe("deployed");
  });

  test("continues when that session is done, and is replayed without waiting", async () => {
    const { finish, held, second } = await holding("replayed");
    const running = runTwice({ tools: [second.tool], policy: RULES }, (session) =>
      session.run([call("deploy", { to: "replayed" })], { id: "t" }),
    );
    finish.resolve();
    await held;
    const { outcome, replayed } = await running;
    expect(outcome.results[0]?.data).toBe("deployed");
    expect(replayed.results).toEqual(outcome.results);
    expect(second.executed).toHaveLength(1);
  });

  test("lets calls pass that are made inside others", async () => {
    const { finish, held } = await holding("passed");
    const file = {
      requires: { fs: { write: ["/**"] }, capabilities: ["deploy.run"] },
      idempotent: false,
    } as const;
    const waiting = stubTool("waiting", () => "waited", {
      ...file,
      effects: () => [fsWrite("/f"), effect("deploy.run", "passed")],
      locks: ["deploy.run"],
    });
    const inner = stubTool("inner", () => "inner", { ...file, effects: () => [fsWrite("/f")] });
    const isQueued = Promise.withResolvers<void>();
    const outer = stubTool("outer", async (_args, ctx) => {
      await isQueued.promise;
      return (await ctx.call("inner", {})).data;
    });
    const session = await createSession({ tools: [waiting.tool, inner.tool, outer.tool], policy: RULES });
    const around = session.call(call("outer", {}, "a"));
    await until(() => outer.executed.length === 1);
    const behind = session.call(call("waiting", {}, "b"));
    await sleep(20);
    isQueued.resolve();
    expect((await around).data).toBe("inner");
    expect(waiting.executed).toEqual([]);
    finish.resolve();
    await held;
    expect((await behind).data).toBe("waited");
  });
});

describe("a call inside one that has locks", () => {
  test("does not wait for what its caller has", async () => {
    const inner = deploying(() => "inner", "inner");
    const outer = deploying(async (args, ctx) => (await ctx.call("inner", args)).data, "outer");
    const session = await createSession({ tools: [inner.tool, outer.tool], policy: RULES });
    expect((await session.call(call("outer", { to: "nested" }))).data).toBe("inner");
  });

  test("is refused rather than left waiting for another session, which may be waiting for it", async () => {
    const [one, two] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const session = async (
      begun: PromiseWithResolvers<void>,
      other: PromiseWithResolvers<void>,
      to: string,
    ) => {
      const inner = deploying(() => "inner", "inner");
      const outer = deploying(async (_args, ctx) => {
        begun.resolve();
        await other.promise;
        const { ok, failure } = await ctx.call("inner", { to });
        await sleep(20);
        return ok ? "inner" : failure?.code;
      }, "outer");
      return createSession({ tools: [inner.tool, outer.tool], policy: RULES });
    };
    const [first, second] = [await session(one, two, "right"), await session(two, one, "left")];
    const results = await Promise.all([
      first.call(call("outer", { to: "left" })),
      second.call(call("outer", { to: "right" })),
    ]);
    expect(results.map(({ data }) => data)).toEqual(["conflict", "conflict"]);
  });
});

test("for any sets of names: no two callers have the same, everybody is served, and who gives up leaves nothing", async () => {
  const sets = fc.array(fc.tuple(fc.uniqueArray(fc.constantFrom("a", "b", "c", "d")), fc.boolean()), {
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(sets, async (wanted) => {
      const locks = new ProcessLocks();
      const held = new Set<string>();
      await Promise.all(
        wanted.map(async ([names, givesUp]) => {
          const sorted = names.toSorted();
          const controller = new AbortController();
          const waiting = locks.acquire(sorted, { signal: controller.signal });
          if (givesUp) controller.abort();
          const lock = await waiting;
          if (lock === undefined) return;
          for (const name of sorted) expect(held.has(name)).toBe(false);
          for (const name of sorted) held.add(name);
          await new Promise((resolve) => setImmediate(resolve));
          for (const name of sorted) held.delete(name);
          await lock.release();
        }),
      );
      const all = await locks.acquire(["a", "b", "c", "d"], {
        signal: AbortSignal.timeout(60_000),
        wait: false,
      });
      expect(all).toBeDefined();
    }),
    { numRuns: 100 },
  );
});
