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
      const at = positions.findIndex((one) => one.file?.endsWith(`/${file}`) === true);
      // An error has no position of its own: it is in what the test needs.
      const position = kind === "FAILED" && at !== -1 ? positions.splice(at, 1)[0] : undefined;
      return { name, ...(position ?? { file }), ...messageOf(message) };
    },
  );
  return {
    passed: count(/(\d+) passed/g),
    failed: count(/(\d+) (?:failed|errors?)\b/g),
    skipped: count(/(\d+) (?:skipped|xfailed|deselected)/g),
    failures,
  };
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
  if (events.length === 0) return undefined;
  const ends = events.filter(({ Test, Action }) => Test !== undefined && /^(?:pass|fail|skip)$/.test(Action));
  const isGroup = ({ Test, Package }: GoEvent) =>
    ends.some((one) => one.Package === Package && one.Test?.startsWith(`${Test}/`) === true);
  const tests = ends.filter((end) => !isGroup(end));
  const failures = tests.filter(({ Action }) => Action === "fail").map((end) => goFailure(end, events));
  const count = (action: string) => tests.filter(({ Action }) => Action === action).length;
  return { passed: count("pass"), failed: count("fail"), skipped: count("skip"), failures };
}

function goFailure({ Package, Test }: GoEvent, events: readonly GoEvent[]): FailedTest {
  const own = events.filter((one) => one.Package === Package && one.Test === Test);
  const [, position = "", message] =
    /^\s+(\S+\.go:\d+): (.*)$/m.exec(own.map(({ Output = "" }) => Output).join("")) ?? [];
  return { name: `${Package} ${Test}`, ...positionIn(position), ...messageOf(message) };
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
  /panicked at (?:'(?<early>[^\n]*)', (?<after>\S+:\d+:\d+)$|(?<before>\S+:\d+:\d+):\n(?<late>.*))/m;

function cargoFailure(name: string, output: string): FailedTest {
  const start = output.indexOf(`\nthread '${name}'`);
  const said = start === -1 ? "" : output.slice(start, start + 2_000);
  const { early, after, before, late } = PANIC.exec(said)?.groups ?? {};
  return { name, ...positionIn(before ?? after ?? ""), ...messageOf(late ?? early) };
}

function parsed<Value>(line: string): Value | undefined {
  try {
    return JSON.parse(line) as Value;
  } catch {
    return undefined;
  }
}
