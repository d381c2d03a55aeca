import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fsWrite } from "../contract/call/effect.ts";
import { ToolFailure } from "../contract/call/result.ts";
import type { ToolCall } from "../contract/stages/call.ts";
import type { JournalEvent } from "../contract/store/event.ts";
import { memoryJournal } from "../journal/memory-journal.ts";
import { memoryPending } from "../journal/memory-pending.ts";
import { replayJournal } from "../replay/replay-journal.ts";
import { createSession } from "../session/create-session.ts";
import { scriptedApprover } from "../testing/scripted-approver.ts";
import { stubTool } from "../testing/stub-tool.ts";
import type { Strategy } from "./run-batch.ts";

const ALLOW = [{ permission: "*", action: "allow" }] as const;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const call = (id: string, name: string, args: ToolCall["arguments"] = {}): ToolCall => ({
  id,
  name,
  arguments: args,
});

describe("any batch", () => {
  type Kind =
    | "good"
    | "slow"
    | "failing"
    | "crashing"
    | "hanging"
    | "writing"
    | "asking"
    | "nesting"
    | "denied"
    | "missing"
    | "malformed";
  const kinds = fc.constantFrom<Kind>(
    "good",
    "slow",
    "failing",
    "crashing",
    "hanging",
    "writing",
    "asking",
    "nesting",
    "denied",
    "missing",
    "malformed",
  );
  const strategies = fc.oneof(
    fc.constant<Strategy>("sequential"),
    fc.constant<Strategy>("parallel"),
    fc.integer({ min: 1, max: 4 }).map((batched): Strategy => ({ batched })),
  );

  function world() {
    const writing = new Map<string, number>();
    const overlaps: string[] = [];
    const aborted = new Set<string>();
    const track = async (path: string) => {
      if ((writing.get(path) ?? 0) > 0) overlaps.push(path);
      writing.set(path, (writing.get(path) ?? 0) + 1);
      await sleep(1);
      writing.set(path, (writing.get(path) ?? 1) - 1);
    };
    const file = {
      requires: { fs: { write: ["/**"] } },
      effects: (args: Record<string, unknown>) => [fsWrite(String(args["path"]))],
      idempotent: false,
    };
    const tools = [
      stubTool("good", () => "good"),
      stubTool("slow", (_args, { abortSignal, toolCallId }) => {
        abortSignal.addEventListener("abort", () => aborted.add(toolCallId));
        return sleep(3).then(() => "slow");
      }),
      stubTool("failing", () => {
        throw new ToolFailure("own", "failed");
      }),
      stubTool("crashing", () => Promise.reject(new TypeError("crash"))),
      stubTool("hanging", () => new Promise(() => {}), { timeoutMs: 20 }),
      stubTool("writing", (args) => track(String(args["path"])).then(() => "written"), file),
      stubTool("asking", (args) => track(String(args["path"])).then(() => "asked"), file),
      stubTool("nesting", async (args, ctx) => (await ctx.call("writing", { path: args["path"] })).data, {
        ...file,
        idempotent: true,
      }),
      stubTool("denied"),
      stubTool("malformed"),
    ];
    return { tools: tools.map(({ tool }) => tool), stubs: tools, overlaps, aborted };
  }

  const rules = [
    { permission: "writing", action: "allow" },
    { permission: "nesting", action: "allow" },
    { permission: "asking", action: "ask" },
    { permission: "denied", action: "deny" },
  ] as const;

  test("one result per call in order, no overlapping writes, no sibling cancelled, events ordered, the chain holds", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(kinds, fc.constantFrom("/a", "/b", "/c/d")), { maxLength: 14 }),
        strategies,
        fc.option(fc.nat(13)),
        fc.boolean(),
        async (plan, strategy, steerAt, cancels) => {
          const { tools, overlaps, aborted } = world();
          const holder: { act?: () => void } = {};
          let asked = 0;
          const approver = scriptedApprover(() => {
            asked += 1;
            return asked % 3 === 0 ? { verdict: "reject" } : { verdict: "once" };
          });
          const gates = [
            {
              name: "steer",
              before: ({ callId }: { callId: string }) => {
                if (callId === `c${steerAt}`) holder.act?.();
                return true;
              },
            },
          ];
          const journal = memoryJournal({ batchEvents: 7 });
          const session = await createSession({ tools, policy: rules, approver, strategy, gates, journal });
          holder.act = () => (cancels ? session.cancel() : session.steer("stop"));
          const calls = plan.map(([kind, path], n) =>
            call(`c${n}`, kind, kind === "malformed" ? '{"path": ' : { path }),
          );
          const outcome = await session.run(calls);

          expect(outcome.status).toBe("done");
          expect(outcome.results.map((result) => result?.callId)).toEqual(calls.map(({ id }) => id));
          expect(overlaps).toEqual([]);
          if (!cancels || steerAt === null) expect([...aborted]).toEqual([]);
          await verifyJournal(journal, outcome.results.length);
          const report = await replayJournal(journal, (ports) =>
            createSession({ tools, policy: rules, strategy, ...ports }),
          );
          expect(report.differences).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("whatever is asked for elsewhere, and however late and oddly it is answered: nothing runs twice, nothing hangs", async () => {
    const answers = fc.constantFrom<"once" | "always" | "reject" | "edit">(
      "once",
      "always",
      "reject",
      "edit",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(kinds, fc.constantFrom("/a", "/b", "/c/d")), { maxLength: 10 }),
        strategies,
        fc.array(answers, { minLength: 12, maxLength: 12 }),
        async (plan, strategy, script) => {
          const { tools, stubs, overlaps } = world();
          const shared = {
            tools,
            policy: rules,
            strategy,
            id: "s",
            pending: memoryPending(),
            journal: memoryJournal(),
          };
          let session = await createSession({ ...shared, approver: scriptedApprover("later") });
          const calls = plan.map(([kind, path], n) =>
            call(`c${n}`, kind, kind === "malformed" ? "[" : { path }),
          );
          let outcome = await session.run(calls, { id: "turn" });
          for (let round = 0; outcome.status === "waiting"; round += 1) {
            expect(round).toBeLessThan(20);
            session = await createSession({ ...shared, approver: scriptedApprover("later") });
            for (const { id } of await session.waiting()) {
              const verdict = script[Number(/c(\d+)/.exec(id)?.[1])] ?? "once";
              await session.answer(
                id,
                verdict === "edit" ? { verdict, arguments: { path: "/edited" } } : { verdict },
              );
            }
            outcome = await session.resume("turn");
          }
          expect(outcome.results.map((result) => result?.callId)).toEqual(calls.map(({ id }) => id));
          expect(overlaps).toEqual([]);
          const ran = stubs.find(({ tool }) => tool.name === "asking")?.executed.length ?? 0;
          const allowed = outcome.results.filter(
            (result) => result?.toolName === "asking" && result.ok,
          ).length;
          expect(ran).toBe(allowed);
          expect((await shared.journal.verify()).intact).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  async function verifyJournal(journal: ReturnType<typeof memoryJournal>, calls: number) {
    const events: JournalEvent[] = await Array.fromAsync(journal.read());
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    const ended = events.filter(
      (event) => (event.type === "call-end" || event.type === "call-refuse") && !event.callId.includes("/"),
    );
    expect(ended).toHaveLength(calls);
    expect((await journal.verify()).intact).toBe(true);
  }

  test("a thousand calls in one batch", async () => {
    const { tool } = stubTool("write", (args) => args["n"], {
      requires: { fs: { write: ["/**"] } },
      effects: (args) => [fsWrite(`/files/${Number(args["n"]) % 10}`)],
      idempotent: false,
    });
    const session = await createSession({ tools: [tool], policy: ALLOW });
    const calls = Array.from({ length: 1_000 }, (_, n) => call(`c${n}`, "write", { n }));
    const { results } = await session.run(calls);
    expect(results.map((result) => result?.data)).toEqual(calls.map((_, n) => n));
  });
});
