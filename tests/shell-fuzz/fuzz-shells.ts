import { posix } from "node:path";
import { isSame, REPEATING, type Reader, type ReportedCommand, UNORDERED } from "./fuzz-reader.ts";
import { MARK } from "./shell-lines.ts";
import { runInShell, type Started } from "./shells-jail.ts";

export interface ShellReport {
  readonly generated: number;
  /** Lines that the reader took for plain; all of them went to every shell. */
  readonly accepted: number;
  /** Programs that each shell started for these. */
  readonly started: Readonly<Record<string, number>>;
  readonly unsound: readonly UnsoundLine[];
}

/** A line for which a shell started what the reader had not reported, or opened another file. */
interface UnsoundLine {
  readonly shell: string;
  readonly line: string;
  readonly reported: readonly (readonly string[])[];
  readonly started: readonly (readonly string[])[];
}

interface Plain {
  readonly line: string;
  readonly reported: readonly ReportedCommand[];
}

const LINES_PER_JAIL = 500;
const MOST_JAILS = 4;

/** Holds a reader against these shells. */
export async function fuzzShells(
  reader: Reader,
  lines: Iterable<string>,
  shells: readonly string[],
): Promise<ShellReport> {
  const report = {
    generated: 0,
    accepted: 0,
    started: {} as Record<string, number>,
    unsound: [] as UnsoundLine[],
  };
  const running = new Set<Promise<void>>();
  let waiting: Plain[] = [];
  for (const line of lines) {
    report.generated += 1;
    const reported = await reader(line);
    if (reported === undefined) continue;
    report.accepted += 1;
    waiting.push({ line, reported });
    if (waiting.length === LINES_PER_JAIL) await send();
  }
  await send();
  await Promise.all(running);
  return report;

  async function send(): Promise<void> {
    const batch = waiting;
    waiting = [];
    for (const shell of shells) {
      if (running.size >= MOST_JAILS) await Promise.race(running);
      const done: Promise<void> = run(shell, batch).finally(() => running.delete(done));
      running.add(done);
    }
  }

  async function run(shell: string, batch: readonly Plain[]): Promise<void> {
    const programs = new Set([
      MARK,
      ...batch.flatMap(({ reported }) => reported.map(({ argv }) => argv[0] ?? "")),
    ]);
    const names = [...programs].filter((name) => /^[\w@+:,.[-]{1,200}$/.test(name) && !/^\.+$/.test(name));
    const all = await runInShell(
      shell,
      batch.map(({ line }) => line),
      names,
    );
    batch.forEach((one, index) => {
      const started = all[index] ?? { commands: [], files: [] };
      report.started[shell] = (report.started[shell] ?? 0) + started.commands.length;
      if (isSound(one, started)) return;
      const reported = one.reported.map(({ argv }) => argv);
      report.unsound.push({ shell, line: one.line, reported, started: [...started.commands, started.files] });
    });
  }
}

/** A shell may stop at an error or refuse the line; whatever it does start must have been reported. */
function isSound({ line, reported }: Plain, { commands, files }: Started): boolean {
  const opened = new Set(reported.flatMap((command) => (command.files ?? []).map(absolute)));
  if (files.some((file) => !opened.has(file))) return false;
  const left = reported.map(({ argv }) => argv);
  const signs = line.replaceAll(/\\./gs, "");
  // To dash `&>` is a command in the background, and a redirect of nothing.
  const isUnordered = UNORDERED.test(signs) || signs.includes("&>");
  let at = 0;
  for (const argv of commands) {
    const found = left.findIndex((other, index) => index >= at && isRun(other, withoutTime(argv)));
    if (found < 0) return false;
    if (REPEATING.test(line)) continue;
    if (isUnordered) left.splice(found, 1);
    else at = found + 1;
  }
  return true;
}

/** A pattern stands for the files that it finds. */
function isRun(reported: readonly string[], argv: readonly string[]): boolean {
  if (isSame(reported, argv)) return true;
  const [first, ...rest] = reported;
  const [found, ...others] = argv.map((arg) => arg.replace(/^\/ws(?=\/)/, "."));
  if (first === undefined || found === undefined) return false;
  if (first === found) return isRun(rest, others);
  if (!/[*?[]/.test(first) || !posix.matchesGlob(found, first)) return false;
  return isRun(rest, others) || isRun(reported, others);
}

/** To some shells `time` is a program, which runs what it is given. */
function withoutTime(argv: readonly string[]): readonly string[] {
  return argv[0] === "time" && argv.length > 1 ? argv.slice(1) : argv;
}

function absolute(file: string): string {
  const [, access = "", path = ""] = /^(\w+) (.*)$/s.exec(file) ?? [];
  return `${access} ${posix.resolve("/ws", path)}`;
}
