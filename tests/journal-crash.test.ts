import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { ToolResult } from "@toolkeep/core";
import type { JournalEvent } from "@toolkeep/core/journal";
import { expect, test } from "vitest";
import { type CrashRecord, crashAgainAndAgain } from "./crash/crash-campaign.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** `npm run campaign:crash` kills 200 times. */
const kills = Number(process.env["TOOLKEEP_RUNS"] ?? 6);

test("a process that is killed at any moment loses no result it reported and does nothing twice that it must not", async () => {
  const folder = temporaryFolder();
  const record = await crashAgainAndAgain(folder, kills);
  const { events, marks, reported, verdicts, unfinished } = record;
  expect(verdicts).toEqual(Array(kills + 1).fill("intact"));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));

  const settled = outcomesIn(events);
  expect(reported.length).toBeGreaterThan(kills);
  expect(reported.filter((line) => !settled.has(line))).toEqual([]);

  const once = marks.filter((mark) => !mark.startsWith("often "));
  expect(once.length).toBeGreaterThan(kills);
  expect(once.filter((mark, index) => once.indexOf(mark) !== index)).toEqual([]);
  const intended = intentsIn(events);
  expect(once.filter((mark) => !intended.has(keyOf(mark)))).toEqual([]);

  expect(unfinished).toEqual([]);
  expect(unsettledOf(record)).toEqual([]);
  expect(readdirSync(join(folder, "store", "pending"))).toEqual([]);
  expect(unexpectedIn(settled)).toEqual([]);
  expect(unknownOf("recovered", events)).toEqual([]);
  if (process.env["TOOLKEEP_RUNS"] !== undefined) console.log(summaryOf(record));
});

/** `turn/call outcome` of everything that is settled in the journal. */
function outcomesIn(events: readonly JournalEvent[]): ReadonlySet<string> {
  return new Set(
    events.flatMap((event) => {
      if (event.type !== "call-end" && event.type !== "call-refuse") return [];
      const { ok, failure } = event.result.value as ToolResult;
      return `${event.turn}/${event.callId} ${ok ? "ok" : failure?.code}`;
    }),
  );
}

function intentsIn(events: readonly JournalEvent[]): ReadonlySet<string> {
  return new Set(
    events.flatMap((event) => (event.type === "step-intent" ? `${event.turn}/${event.id}` : [])),
  );
}

/** `turn/call` of every call of a tool whose outcome is unknown. */
function unknownOf(tool: string, events: readonly JournalEvent[]): readonly string[] {
  return events.flatMap((event) =>
    event.type === "call-refuse" && event.code === "outcome_unknown" && event.tool === tool
      ? [`${event.turn}/${event.callId}`]
      : [],
  );
}

/** `turn/call` of a mark, which has the session before it. */
function keyOf(mark: string): string {
  return mark.split(" crash/")[1] ?? mark;
}

/** Calls of batches that have no outcome, or that happened and are said not to have. */
function unsettledOf({ events, marks }: CrashRecord): readonly string[] {
  const settled = outcomesIn(events);
  const wanted = events.flatMap((event) =>
    event.type === "turn-start" ? event.calls.map(({ id }) => `${event.turn}/${id}`) : [],
  );
  const happened = new Set(marks.map(keyOf));
  return wanted.filter((key) => {
    if (settled.has(`${key} ok`)) return !happened.has(key);
    return !settled.has(`${key} outcome_unknown`);
  });
}

/** Nothing but success and honest doubt comes of a crash; and never both. */
function unexpectedIn(settled: ReadonlySet<string>): readonly string[] {
  return [...settled].filter((line) => {
    const [key, outcome] = line.split(" ");
    if (outcome === "outcome_unknown") return settled.has(`${key} ok`);
    return outcome !== "ok";
  });
}

function summaryOf({ kills: times, reported, marks, events }: CrashRecord): string {
  const unknown = ["once", "asked", "announced", "recovered"].map(
    (tool) => `${tool} ${unknownOf(tool, events).length}`,
  );
  const again = marks.filter((mark, index) => marks.indexOf(mark) !== index).length;
  return `${times} kills: ${reported.length} results reported, ${marks.length} effects, ${again} idempotent ones repeated, outcomes unknown: ${unknown.join(", ")}`;
}
