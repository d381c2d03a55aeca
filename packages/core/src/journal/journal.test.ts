import fc from "fast-check";
import { expect, test } from "vitest";
import { fsRead } from "../contract/call/effect.ts";
import type { JournalEntry, SessionEvent } from "../contract/store/event.ts";
import type { Journal, JournalQuery } from "../contract/store/store.ts";
import { JsonText } from "../contract/values/json-text.ts";
import { createRedactor } from "../redaction/redactor.ts";
import { createSession } from "../session/create-session.ts";
import { stubTool } from "../testing/stub-tool.ts";
import { toAudit } from "./audit.ts";
import { verifyChain } from "./chain.ts";
import { decodeEvent, encodeEvent } from "./encode-event.ts";
import { createEventStream } from "./event-stream.ts";
import { memoryJournal } from "./memory-journal.ts";
import { webDigest } from "./web-digest.ts";

const entry = (n: number): JournalEntry => ({
  type: "step-end",
  id: `s${n}`,
  value: JsonText.of({ n, text: 'ä\n"' }),
});

test("what is written is what is read, whatever stands in it", () => {
  const result = {
    callId: "c",
    toolName: "t",
    origin: { layer: "code", source: "code" },
    ok: true,
    data: { a: [1] },
    labels: [],
    attempts: 1,
    startedAt: 5,
    durationMs: 1,
  };
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.jsonValue(), (callId, target, args) => {
      const start: JournalEntry = {
        type: "call-start",
        callId,
        tool: "t",
        origin: "code/code",
        arguments: JsonText.of(args),
        effects: [{ capability: "fs.read", target, known: "declared" }],
        allowedBy: target,
      };
      const line = encodeEvent(1, 2, "t1", start);
      expect(line).not.toContain("\n");
      expect(JSON.parse(JSON.stringify(decodeEvent(line)))).toEqual(
        JSON.parse(JSON.stringify({ seq: 1, at: 2, turn: "t1", ...start })),
      );
      const end: JournalEntry = {
        type: "call-end",
        callId,
        tool: "t",
        origin: "code/code",
        ok: true,
        result: JsonText.of({ ...result, callId }),
      };
      expect(JSON.parse(JSON.stringify(decodeEvent(encodeEvent(1, 2, "t1", end))))).toEqual(
        JSON.parse(JSON.stringify({ seq: 1, at: 2, turn: "t1", ...end })),
      );
    }),
  );
});

test("the chain verifies; a flipped byte, a missing, a doubled or a moved batch is found", async () => {
  const journal = memoryJournal({ batchEvents: 5 });
  for (let n = 0; n < 60; n += 1) journal.append(n, n, "t1", entry(n));
  const batches = await journal.batches();
  expect(await journal.verify()).toMatchObject({ intact: true, batches: 12 });
  await fc.assert(
    fc.asyncProperty(fc.nat(11), fc.nat(), fc.integer({ min: 0, max: 7 }), async (index, position, bit) => {
      const damaged = batches.map((batch) => ({ ...batch, bytes: batch.bytes.slice() }));
      const bytes = damaged[index]?.bytes as Uint8Array;
      const at = position % bytes.length;
      bytes[at] = (bytes[at] as number) ^ (1 << bit);
      expect(await verifyChain(damaged, webDigest)).toMatchObject({ intact: false });
    }),
    { numRuns: 200 },
  );
  const without = batches.toSpliced(3, 1);
  const doubled = batches.toSpliced(3, 0, ...batches.slice(3, 4));
  const moved = [...batches.slice(0, 3), batches[4], batches[3], ...batches.slice(5)] as typeof batches;
  for (const damaged of [without, doubled, moved])
    expect((await verifyChain(damaged, webDigest)).intact).toBe(false);
});

test("a journal in memory stays within its size, and what is left of it verifies", async () => {
  const journal = memoryJournal({ batchEvents: 10, keepBytes: 50_000 });
  const isWhole = async () => {
    const kept = await journal.batches();
    expect(kept.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThan(50_000);
    expect(journal.droppedEvents + kept.reduce((sum, { events }) => sum + events, 0)).toBe(seq);
    expect((await journal.verify()).intact).toBe(true);
    return kept;
  };
  let seq = 0;
  const append = (count: number) => {
    for (let n = 0; n < count; n += 1, seq += 1) journal.append(seq, seq, `t${seq % 7}`, entry(seq));
  };
  append(45);
  const [first, ...rest] = await isWhole();
  expect(rest).toHaveLength(4);
  append(25);
  // What was handed out before stays as it was.
  expect((await isWhole())[0]).toEqual(first);
  append(5_000);
  expect(journal.droppedEvents).toBeGreaterThan(4_000);
  await isWhole();
  append(13);
  await isWhole();
});

test("an index finds the events of a turn as a look at all of them does, also where some were dropped", async () => {
  const journal = memoryJournal({ batchEvents: 4, keepBytes: 20_000 });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(5), { maxLength: 30 }), fc.nat(5), async (turns, asked) => {
      const { nextSeq } = await journal.extent();
      for (const [index, turn] of turns.entries())
        journal.append(nextSeq + index, 0, `t${turn}`, entry(nextSeq + index));
      const all = await Array.fromAsync(journal.read());
      const ofTurn = await Array.fromAsync(journal.read({ turn: `t${asked}` }));
      expect(ofTurn).toEqual(all.filter(({ turn }) => turn === `t${asked}`));
    }),
    { numRuns: 100 },
  );
});

test("what is recorded does not change with what a host application does to its objects", async () => {
  const journal = memoryJournal();
  const { tool } = stubTool("a", () => ({ n: 1 }));
  const session = await createSession({ tools: [tool], journal });
  const calls = [{ id: "1", name: "a", arguments: {} }];
  const { results } = await session.run(calls);
  const before = JSON.stringify(await Array.fromAsync(journal.read()));
  Object.assign(calls[0] as object, { id: "changed", name: "changed" });
  Object.assign(results[0] as object, { callId: "changed", attempts: 9, durationMs: 9, data: "changed" });
  expect(JSON.stringify(await Array.fromAsync(journal.read()))).toBe(before);
});

test("a query finds the events of a turn, of some types, or both; the extent counts what is not flushed yet", async () => {
  const journal = memoryJournal();
  expect(await journal.extent()).toEqual({ nextSeq: 0, lastTurn: 0 });
  for (const [seq, turn] of ["", "t9", "named", "t12", "t9"].entries()) {
    journal.append(seq, seq, turn, seq === 4 ? { type: "turn-end" } : entry(seq));
  }
  const seqs = async (query?: JournalQuery) =>
    (await Array.fromAsync(journal.read(query))).map(({ seq }) => seq);
  expect(await seqs()).toEqual([0, 1, 2, 3, 4]);
  expect(await seqs({ turn: "t9" })).toEqual([1, 4]);
  expect(await seqs({ types: ["turn-end"] })).toEqual([4]);
  expect(await seqs({ turn: "t9", types: ["step-end"], standing: true })).toEqual([1]);
  expect(await journal.extent()).toEqual({ nextSeq: 5, lastTurn: 12 });
});

test("a digest that fails is found when the journal is chained, and calls go on", async () => {
  const journal = memoryJournal({ digest: () => Promise.reject(new Error("no hash")) });
  const { tool } = stubTool("a");
  const session = await createSession({ tools: [tool], journal });
  expect(await session.call({ id: "1", name: "a", arguments: {} })).toMatchObject({ ok: true });
  await expect(journal.batches()).rejects.toMatchObject({ code: "journal_broken" });
  await expect(journal.verify()).rejects.toMatchObject({ code: "journal_broken" });
});

test("events are totally ordered; a listener that falls behind is told how many it missed, and delays no other", async () => {
  const stream = createEventStream();
  const slow = stream.watch({ buffer: 3 });
  const quick = stream.watch();
  const event = (seq: number): SessionEvent => ({ seq, at: seq, turn: "t", type: "turn-end" });
  for (let seq = 0; seq < 10; seq += 1) stream.publish(event(seq));
  const seen: string[] = [];
  const take = async () => {
    const { value } = await slow.next();
    seen.push(value.type === "events-drop" ? `missed ${value.count}` : `${value.seq}`);
  };
  await take();
  stream.publish(event(10));
  for (let n = 0; n < 4; n += 1) await take();
  stream.end();
  expect(seen).toEqual(["0", "1", "2", "missed 7", "10"]);
  const all = await Array.fromAsync(quick);
  expect(all.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("[C105][C19] the audit has started, succeeded and failed, each with the tool's origin", async () => {
  const journal = memoryJournal();
  const good = stubTool("good");
  const bad = stubTool("bad", () => Promise.reject(new Error("x")));
  const session = await createSession({
    tools: [good.tool, bad.tool],
    journal,
    policy: [{ permission: "denied", action: "deny" }],
  });
  await session.run([
    { id: "1", name: "good", arguments: {} },
    { id: "2", name: "bad", arguments: {} },
    { id: "3", name: "none", arguments: {} },
  ]);
  const audit = (await Array.fromAsync(journal.read())).flatMap((event) => toAudit(event) ?? []);
  expect(audit.map(({ name, callId, origin }) => `${name} ${callId} ${origin}`).toSorted()).toEqual([
    "ToolInvocationFailed 2 code/code",
    "ToolInvocationFailed 3 unknown",
    "ToolInvocationStarted 1 code/code",
    "ToolInvocationStarted 2 code/code",
    "ToolInvocationSucceeded 1 code/code",
  ]);
});

test("a call that started is redacted when it is read, and stays as it was read", async () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  const redactor = createRedactor();
  const journal = memoryJournal();
  const { tool } = stubTool("a", undefined, {
    requires: { fs: { read: ["/data/**"] } },
    effects: () => [fsRead(`/data/${token}`)],
  });
  const session = await createSession({ tools: [tool], redactor, journal, policy: ["allow *"] });
  const read = async () => JSON.stringify(await Array.fromAsync(journal.read({ types: ["call-start"] })));
  const args = { token, words: "correct horse", more: "battery staple" };
  expect((await session.call({ id: "c1", name: "a", arguments: args })).ok).toBe(true);
  redactor.add("WORDS", "correct horse");
  const first = await read();
  expect(first).toContain('{"token":"[redacted:github-token]","words":"[redacted:WORDS]"');
  expect(first).toContain("/data/[redacted:github-token]");
  redactor.add("MORE", "battery staple");
  expect(await read()).toBe(first);
  await session.close();
  const written = (await journal.batches()).map(({ bytes }) => new TextDecoder().decode(bytes)).join("");
  expect(written).not.toContain(token);
  expect((await journal.verify()).intact).toBe(true);
});

test("what wraps the journal in memory is given every entry, redacted", async () => {
  const token = `ghp_${"a1B2".repeat(9)}`;
  type Append = Journal["append"];
  for (const wrap of [
    (inner: Journal, append: Append): Journal => ({ ...inner, append }),
    (inner: Journal, append: Append): Journal => Object.assign(Object.create(inner) as Journal, { append }),
    (inner: Journal, append: Append): Journal =>
      new Proxy(inner, { get: (of, name) => (name === "append" ? append : Reflect.get(of, name)) }),
  ]) {
    const inner = memoryJournal();
    const appended: JournalEntry[] = [];
    const append: Journal["append"] = (seq, at, turn, added) => {
      appended.push(added);
      inner.append(seq, at, turn, added);
    };
    const session = await createSession({ tools: [stubTool("a").tool], journal: wrap(inner, append) });
    await session.call({ id: "c1", name: "a", arguments: { token } });
    await session.close();
    expect(appended.map(({ type }) => type)).toContain("call-start");
    expect(JSON.stringify(appended)).not.toContain(token);
  }
});
