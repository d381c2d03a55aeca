import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore } from "@toolkeep/core";
import { compilePolicy } from "@toolkeep/core/policy";
import { openSqliteStore } from "@toolkeep/sqlite";
import { measureParked, type ParkedFigures } from "./growth/parked-requests.ts";
import { measureTurns, type TurnFigures } from "./growth/turns-of-one-call.ts";
import { mixedRules } from "./policy/mixed-rules.ts";
import { evaluate, type Figure, printReport, progress, readOptions } from "./report.ts";
import { median, rounded } from "./statistics.ts";

const options = readOptions();
const turns = options.quick ? 2_000 : 10_000;
const rules = 10_000;
const inWords = turns.toLocaleString("en");

progress(`${inWords} parked requests in memory`);
// With the usual 16 MB of events for a session, the oldest turns are gone before so many are parked.
const memory = await measureParked(turns, memoryStore({ keepBytes: 256 * 1024 * 1024 }));
progress(`${inWords} parked requests in SQLite`);
const sqlite = await withStore(
  (path) => openSqliteStore({ path, durability: "normal" }),
  (store) => measureParked(turns, store),
);
progress("turns of one call");
const oneCall = await withStore(
  (path) => openSqliteStore({ path, durability: "normal" }),
  (store) => measureTurns(store, options.quick ? 31 : 101),
);
progress(`one rule more than ${rules.toLocaleString("en")}`);
const addedRule = measureAddedRule();

printReport(
  {
    name: "bench:growth",
    goals: [
      ...goalsOf("memory", memory),
      ...goalsOf("SQLite", sqlite),
      evaluate("session.run of one call / session.call, SQLite", oneCall.ratio, "<= 2"),
      evaluate(`one rule added to ${rules.toLocaleString("en")}, ms`, addedRule, "<= 5"),
    ],
    figures: figuresOf(oneCall),
  },
  options,
);

function goalsOf(kind: string, { waiting, answerAndResume }: ParkedFigures) {
  return [
    evaluate(`waiting(), ${inWords} parked, ${kind}, ms`, waiting, "<= 300"),
    evaluate(`answer and resume of one, ${inWords} parked, ${kind}, ms`, answerAndResume, "<= 20"),
  ];
}

function figuresOf({ call, run }: TurnFigures): readonly Figure[] {
  return [
    { name: "session.call, SQLite, durability normal", value: rounded(call), unit: "µs" },
    { name: "session.run of one call, the same", value: rounded(run), unit: "µs" },
  ];
}

/** Milliseconds, the median of nine. */
function measureAddedRule(): number {
  const policy = compilePolicy(mixedRules(rules));
  const times = Array.from({ length: 9 }, (_, index) => {
    const start = performance.now();
    policy.withRules([{ permission: "fs.read", pattern: `/added-${index}/**`, action: "allow" }]);
    return performance.now() - start;
  });
  return median(times);
}

async function withStore<Store extends AsyncDisposable, Result>(
  open: (path: string) => Store,
  measure: (store: Store) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "toolkeep-growth-"));
  try {
    await using store = open(join(folder, "store"));
    return await measure(store);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
