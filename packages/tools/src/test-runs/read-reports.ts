import { unlessThrown } from "@toolkeep/core/internal";
import { type FailedTest, messageOf, positionIn, sumOf, type TestReport } from "./test-report.ts";

/** What `jest --json` writes on a line of its own. */
export function readJest(output: string): TestReport | undefined {
  const line = output.split("\n").find((one) => one.startsWith('{"num'));
  if (line === undefined) return undefined;
  const report = parsed<JestReport>(line);
  if (report === undefined) return undefined;
  const failures = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.filter(({ status }) => status === "failed").map((test) => jestFailure(name, test)),
  );
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = report;
  return { passed, failed, skipped, failures };
}

interface JestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly JestTest[] }[];
}

interface JestTest {
  readonly fullName: string;
  readonly status: string;
  readonly location?: { readonly line: number } | null;
  readonly failureMessages?: readonly string[];
}

function jestFailure(file: string, { fullName, location, failureMessages }: JestTest): FailedTest {
  const line = location?.line;
  const message = messageOf(failureMessages?.[0]?.split("\n", 1)[0]);
  return { name: fullName, file, ...(line === undefined ? {} : { line }), ...message };
}

const PYTEST_END = /^(?:=+ )?(?:(?:\d+ [a-z]+|no tests ran)(?:, )?)+ in [\d.]+s/m;

/** What `pytest --tb=line -rfE` writes: positions and names are in the same order. */
export function readPytest(output: string): TestReport | undefined {
  const end = PYTEST_END.exec(output)?.[0];
  if (end === undefined) return undefined;
  const count = (pattern: RegExp) => sumOf(end, pattern) ?? 0;
  const positions = [...output.matchAll(/^(\/\S[^\n]*?:\d+): /gm)].map(([, position = ""]) =>
    positionIn(position),
  );
  const failures = [...output.matchAll(/^(FAILED|ERROR) (\S+?)(?: - (.*))?$/gm)].map(
    ([, kind, name = "", message]): FailedTest => {
      const file = name.split("::", 1)[0] ?? "";
      // An error has no position of its own: it is in what the test needs.
      const position = kind === "FAILED" ? positions.shift() : undefined;
      return { name, ...(position ?? { file }), ...messageOf(message ?? collectingError(file, output)) };
    },
  );
  return {
    passed: count(/(\d+) passed/g),
    failed: count(/(\d+) (?:failed|errors?)\b/g),
    skipped: count(/(\d+) (?:skipped|xfailed|deselected)/g),
    failures,
  };
}

/** Why the tests of a file could not be found. */
function collectingError(file: string, output: string): string | undefined {
  const start = output.indexOf(` ERROR collecting ${file} `);
  return start === -1 ? undefined : /^E +(.*)$/m.exec(output.slice(start, start + 20_000))?.[1];
}

interface GoEvent {
  readonly Action: string;
  readonly Package?: string;
  readonly Test?: string;
  readonly Output?: string;
}

/** What `go test -json` writes: an event on each line. A test fails with each test in it. */
export function readGo(output: string): TestReport | undefined {
  const events = output
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? (parsed<GoEvent>(line) ?? []) : []))
    .filter(({ Action }) => typeof Action === "string");
  const unbuilt = Array.from(output.matchAll(/^FAIL\t(\S+) \[\w+ failed\]$/gm), ([, name = ""]) => name);
  if (events.length === 0 && unbuilt.length === 0) return undefined;
  const ends = events.filter(({ Test, Action }) => Test !== undefined && /^(?:pass|fail|skip)$/.test(Action));
  const isGroup = ({ Test, Package }: GoEvent) =>
    ends.some((one) => one.Package === Package && one.Test?.startsWith(`${Test}/`) === true);
  const tests = ends.filter((end) => !isGroup(end));
  const failing = tests.filter(({ Action }) => Action === "fail");
  const inTests = new Set(failing.map(({ Package }) => Package));
  const broken = events
    .filter(({ Action, Test, Package }) => Action === "fail" && Test === undefined && !inTests.has(Package))
    .map(({ Package = "" }) => Package);
  const failures = [
    ...failing.map((end) => goFailure(end, events)),
    ...[...new Set([...broken, ...unbuilt])].map((name) => goBroken(name, output)),
  ];
  const count = (action: string) => tests.filter(({ Action }) => Action === action).length;
  return { passed: count("pass"), failed: failures.length, skipped: count("skip"), failures };
}

/** A package of which no test failed: it does not compile. Its errors come after its name, older ones not as events. */
function goBroken(name: string, output: string): FailedTest {
  const said = output
    .split("\n")
    .map((line) => (line.startsWith("{") ? (parsed<GoEvent>(line)?.Output ?? "").trimEnd() : line));
  const start = said.findIndex((line) => line.startsWith("# ") && line.slice(2).split(" ", 1)[0] === name);
  const [, position = "", message] =
    said
      .slice(start + 1)
      .map((line) => GO_ERROR.exec(line))
      .find((found) => found !== null) ?? [];
  return { name, ...positionIn(position), ...messageOf(message ?? "The package could not be tested.") };
}

const GO_ERROR = /^(\S+\.go:\d+)(?::\d+)?: (.*)$/;

function goFailure({ Package, Test }: GoEvent, events: readonly GoEvent[]): FailedTest {
  const own = events.filter((one) => one.Package === Package && one.Test === Test);
  const said = own.map(({ Output = "" }) => Output).join("");
  const [, position = "", message] = /^\s+(\S+\.go:\d+): (.*)$/m.exec(said) ?? [];
  const panic = /^panic: .*$/m.exec(said)?.[0];
  const where = position === "" ? /^\t(\S+_test\.go:\d+)\b/m.exec(said)?.[1] : position;
  return { name: `${Package} ${Test}`, ...positionIn(where ?? ""), ...messageOf(message ?? panic) };
}

/** What `cargo test` writes, of all its targets. */
export function readCargo(output: string): TestReport | undefined {
  const passed = sumOf(output, /^test result: .*?(\d+) passed/gm);
  if (passed === undefined) return undefined;
  const names = [...output.matchAll(/^test (\S+)(?: - .*?)? \.\.\. FAILED$/gm)].map(([, name = ""]) => name);
  return {
    passed,
    failed: sumOf(output, /^test result: .*?(\d+) failed/gm) ?? 0,
    skipped: sumOf(output, /^test result: .*?(\d+) ignored/gm) ?? 0,
    failures: names.map((name) => cargoFailure(name, output)),
  };
}

/** Before Rust 1.73 the message came first, in quotes. */
const PANIC =
  /panicked at (?:'(?<early>[^\n]*)(?:\n[^\n]*){0,9}?', (?<after>\S+:\d+:\d+)$|(?<before>\S+:\d+:\d+):\n(?<late>.*))/m;

function cargoFailure(name: string, output: string): FailedTest {
  const start = output.indexOf(`\nthread '${name}'`);
  const said = start === -1 ? "" : output.slice(start, start + 2_000);
  const { early, after, before, late } = PANIC.exec(said)?.groups ?? {};
  return { name, ...positionIn(before ?? after ?? ""), ...messageOf(late ?? early) };
}

function parsed<Value>(line: string): Value | undefined {
  return unlessThrown(() => JSON.parse(line) as Value);
}
