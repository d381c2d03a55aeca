import type { EvaluatedRow, RowState } from "./evaluate-rows.ts";

const TITLES_SHOWN = 2;

const INTRODUCTION = `<!-- biome-ignore-all format: aligned tables would change as a whole with every row -->

# Conformance

Every requirement, numbered, with the tests that carry its number in their titles.
This page is written by \`npm run conformance\`; do not edit it.

Strength: M must hold, S should hold, O is optional.
State: *pass* has tests and they pass; *fail* has a failing test, or has lost the tests it had;
*planned* has no passing test yet, or says what it still awaits.
A test that was skipped, or that goes through a fake, passes no row.
`;

/** The whole page, the same for the same tests: no times, no machine. */
export function writeTable(rows: readonly EvaluatedRow[]): string {
  const groups = Map.groupBy(rows, ({ row }) => row.group);
  const sections = Array.from(groups, ([group, members]) => `## ${group}\n\n${table(members)}\n`);
  return [INTRODUCTION, `${summary(rows)}\n`, ...sections].join("\n");
}

/** The states that an earlier page gave to its rows. */
export function readStates(page: string): ReadonlyMap<string, RowState> {
  const lines = page.matchAll(/^\| (C\d+) \|.*\| (pass|fail|planned) \|$/gm);
  return new Map(Array.from(lines, ([, id = "", state]) => [id, state as RowState]));
}

/** One line: how many rows are in which state. */
export function summary(rows: readonly EvaluatedRow[]): string {
  const count = (state: RowState) => rows.filter((row) => row.state === state).length;
  return `${rows.length} rows: ${count("pass")} pass, ${count("fail")} fail, ${count("planned")} planned.`;
}

function table(rows: readonly EvaluatedRow[]): string {
  const lines = rows.map(({ row, tests, state }) => {
    return `| ${[row.id, cell(wordsOf(row)), row.strength, cell(testsOf(tests)), state].join(" | ")} |`;
  });
  return ["| row | requirement | strength | tests | state |", "|---|---|---|---|---|", ...lines].join("\n");
}

function wordsOf({ words, note, awaits }: EvaluatedRow["row"]): string {
  const met = note ? ` *Met differently: ${note}*` : "";
  return `${words}${met}${awaits ? ` *Awaits ${awaits}*` : ""}`;
}

function testsOf(tests: EvaluatedRow["tests"]): string {
  if (tests.length === 0) return "–";
  const shown = tests
    .slice(0, TITLES_SHOWN)
    .map((test) => (test.planned ? `${test.title} (planned)` : test.title));
  return `${tests.length}: ${shown.join("; ")}${tests.length > TITLES_SHOWN ? "; …" : ""}`;
}

function cell(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("|", "\\|").replace(/\s+/g, " ");
}
