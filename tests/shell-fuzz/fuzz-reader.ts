import { type Executed, type JailedLine, runInJail } from "./bash-jail.ts";
import { STUB_PATHS } from "./generate-line.ts";

/** What is compared with bash: the commands of a line, where it is plain. */
export type Reader = (line: string) => Promise<readonly (readonly string[])[] | undefined>;

export interface FuzzReport {
  readonly generated: number;
  /** Lines that the reader took for plain; all of them went to bash. */
  readonly accepted: number;
  /** Commands that bash ran for these. */
  readonly executed: number;
  /** Lines of which every command was seen to run, in order, with exactly these arguments. */
  readonly exact: number;
  readonly unsound: readonly Unsound[];
}

/** A line of which bash ran something that the reader had not reported. */
interface Unsound {
  readonly line: string;
  readonly reported: readonly (readonly string[])[];
  readonly executed: Executed;
}

const LINES_PER_JAIL = 400;
const MOST_JAILS = 2;

/** Holds a reader against bash. */
export async function fuzzReader(reader: Reader, lines: Iterable<string>): Promise<FuzzReport> {
  const report = { generated: 0, accepted: 0, executed: 0, exact: 0, unsound: [] as Unsound[] };
  const running = new Set<Promise<void>>();
  let waiting: Reported[] = [];
  for (const line of lines) {
    report.generated += 1;
    const reported = await reader(line);
    if (reported === undefined) continue;
    report.accepted += 1;
    waiting.push({ line, status: report.accepted % 3 === 0 ? 1 : 0, reported });
    if (waiting.length === LINES_PER_JAIL) await withIo(waiting);
  }
  await withIo(waiting);
  await Promise.all(running);
  return report;

  /** Waits only where enough jails are at work. */
  async function withIo(batch: readonly Reported[]): Promise<void> {
    waiting = [];
    if (running.size >= MOST_JAILS) await Promise.race(running);
    const done: Promise<void> = run(batch).finally(() => running.delete(done));
    running.add(done);
  }

  async function run(batch: readonly Reported[]): Promise<void> {
    const executed = await runInJail(batch);
    batch.forEach((one, index) => {
      const ran = executed[index] ?? [];
      report.executed += ran.length;
      if (isExact(one)) report.exact += 1;
      if (!isSound(one, ran)) report.unsound.push({ line: one.line, reported: one.reported, executed: ran });
    });
  }
}

interface Reported extends JailedLine {
  readonly reported: readonly (readonly string[])[];
}

/** Without pipes, and with every command ending well, bash must run all that was reported, in that order. */
function isExact({ line, status, reported }: Reported): boolean {
  return status === 0 && !line.includes("|") && reported.every(isThere);
}

function isSound(one: Reported, executed: Executed): boolean {
  const reported = one.reported.map((argv) => JSON.stringify(argv));
  const ran = executed.map((argv) => JSON.stringify(argv));
  if (isExact(one)) return ran.join("\n") === reported.join("\n");
  // Pipes run side by side, and what follows `&&` or `||` may not run: anything else is one too many.
  for (const argv of ran) {
    const at = reported.indexOf(argv);
    if (at < 0) return false;
    reported.splice(at, 1);
  }
  return one.line.includes("|") || isInOrder(executed, one.reported);
}

function isInOrder(executed: Executed, reported: readonly (readonly string[])[]): boolean {
  let at = 0;
  const texts = reported.map((argv) => JSON.stringify(argv));
  return executed.every((argv) => {
    at = texts.indexOf(JSON.stringify(argv), at) + 1;
    return at > 0;
  });
}

/** A name with a slash is only run where there is a program of that name. */
function isThere([name = ""]: readonly string[]): boolean {
  return !name.includes("/") || STUB_PATHS.some((path) => path === name);
}
