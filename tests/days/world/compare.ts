import { contentOf } from "./files.ts";
import type { Ran } from "./shell.ts";

/** What a step came to. */
export interface Result extends Ran {
  /** What is not as it was when the day began, by paths. `null`: it is gone. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly state: readonly string[];
}

/** Two plays of a step without Toolkeep. What differs between them says nothing. */
export interface Bare {
  readonly one: Result;
  readonly other: Result;
}

/** A note about a run without a problem. */
const TRAILER = /^\[?toolkeep\b(?!.*\b(?:held|refused|not kept)\b).*$/i;

const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b|\b[0-9]{7,}\b/g, "ID"],
  [/\d{4}-\d\d-\d\d|\d\d?:\d\d(?::\d\d)?(?:\.\d+)?/g, "TIME"],
  [
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)?,? ?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+\b/g,
    "DAY",
  ],
  [/\d+(?:\.\d+)? ?(?:ns|us|µs|ms|s|seconds?|min)\b(?:\/op)?|\d+m\d+[.,]\d+s/g, "SPAN"],
  [/(?:duration_ms|real|user|sys)\s+[\d.]+\w*/g, "SPAN"],
  [/\bpid[ =:]*\d+|\[\d+\](?: \d+)?|process \[?\d+\]?/gi, "PID"],
  [/\/tmp\/[\w.-]*(?:[A-Za-z]*\d[\w-]*){2}[\w.-]*/g, "/tmp/NAME"],
  [/\d\d\/[A-Z][a-z]{2}\/\d{4}:?|\[ *\d+%\]/g, "TIME"],
  // A shell is called by its name or by its path.
  [/^\/(?:usr\/)?bin\/(?=(?:ba)?sh: )/g, ""],
  // Of the folder above, a list tells how many others are in it.
  [/^(?:total \d+|[d-](?:[r-][w-][x-]){3}.* \.\.?)$/g, ""],
  [/[ \t]+/g, " "],
];

function linesOf(output: string): readonly string[] {
  return output
    .split("\n")
    .filter((line) => !TRAILER.test(line))
    .map((line) => SPELLINGS.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), line).trim())
    .filter((line) => line !== "");
}

/** In which ways a result is not that of a step without Toolkeep. */
export function differences(now: Result, { one, other }: Bare): readonly string[] {
  const files = [...new Set([...Object.keys(one.files), ...Object.keys(now.files)])].filter(
    (path) =>
      // What git holds is compared by what it says, and the number of a process says nothing.
      !path.startsWith(".git/") &&
      !path.endsWith(".pid") &&
      !ARCHIVE.test(path) &&
      one.files[path] === other.files[path] &&
      one.files[path] !== now.files[path] &&
      !isSameText(one.files[path], now.files[path]),
  );
  return [
    ...(one.exit === other.exit && one.exit !== now.exit ? [`exit ${now.exit} for ${one.exit}`] : []),
    ...differentLines(linesOf(now.output), [linesOf(one.output), linesOf(other.output)]),
    ...files.map(
      (path) => `${path}: ${now.files[path] ?? "not there"} for ${one.files[path] ?? "not there"}`,
    ),
    ...differentLines(now.state.map(named), [one.state.map(named), other.state.map(named)]),
  ];
}

/** They hold the times of what is in them. */
const ARCHIVE = /\.(?:tar|tgz|gz|zip|whl|jar)$/;

/** Numbers of processes and times are in files too. */
function isSameText(one: string | null | undefined, now: string | null | undefined): boolean {
  const [before, after] = [contentOf(one), contentOf(now)];
  if (before === undefined || after === undefined) return false;
  return differentLines(linesOf(after), [linesOf(before), linesOf(before)]).length === 0;
}

/** Commits made at other times have other names. */
function named(line: string): string {
  return line.replaceAll(/\b[0-9a-f]{40}\b(?= refs)/g, "ID");
}

/** The order of lines says nothing: some come from processes that run side by side. */
function differentLines(
  now: readonly string[],
  [one, other]: readonly [readonly string[], readonly string[]],
): readonly string[] {
  const missing = without(both(one, other), now);
  const isSteady = without(one, other).length + without(other, one).length === 0;
  return [
    ...missing.map((line) => `missing: ${line}`),
    ...(isSteady ? without(now, one).map((line) => `more: ${line}`) : []),
  ];
}

/** The lines of the first that the second has not, as often as they are more. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function both(one: readonly string[], other: readonly string[]): readonly string[] {
  const more = [...without(one, other)];
  return without(one, more);
}
