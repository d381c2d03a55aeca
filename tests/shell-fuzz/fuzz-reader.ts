import { posix } from "node:path";
import { type Executed, type JailedLine, runInJail } from "./bash-jail.ts";
import { OPENED_FILES, STUB_PATHS } from "./line-parts.ts";

/** What is compared with bash: the commands of a line, where it is plain. */
export type Reader = (line: string) => Promise<readonly ReportedCommand[] | undefined>;

/** A command, and the files that it opens as `read path` and `write path`. */
export interface ReportedCommand {
  readonly argv: readonly string[];
  readonly files?: readonly string[];
}

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
  readonly reported: readonly ReportedCommand[];
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
    // Every command of a line ends alike there, so that such a loop has no end.
    const reported = REPEATING.test(line) ? undefined : await reader(line);
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
      const ran = executed[index] ?? { commands: [], files: [] };
      report.executed += ran.commands.length;
      if (isExact(one)) report.exact += 1;
      if (!isSound(one, ran)) report.unsound.push({ line: one.line, reported: one.reported, executed: ran });
    });
  }
}

interface Reported extends JailedLine {
  readonly reported: readonly ReportedCommand[];
}

/** Pipes, what runs in the background, loops and substitutions: commands have no one order. */
export const UNORDERED = /\||(?<![&>])&(?![&>])|\bfor\b|\$\(/;
/** How often its commands run is not known. */
export const REPEATING = /\b(?:while|until)\b/;
/** Not all of it may run. */
const CONDITIONAL = /!|\bif\b|\[\[/;
/** What these run is reported, and not run by the stub. */
const WRAPPERS: ReadonlySet<string | undefined> = new Set([
  "timeout",
  "nice",
  "xargs",
  "env",
  "exec",
  "command",
]);

/** With every command ending well, bash must run all that was reported, in that order. */
function isExact({ line, status, reported }: Reported): boolean {
  const isWhole = status === 0 && !UNORDERED.test(line) && !CONDITIONAL.test(line);
  return (
    isWhole &&
    reported.every(({ argv, files = [] }) => isThere(argv) && !WRAPPERS.has(argv[0]) && files.every(isOpened))
  );
}

/** A command whose file cannot be opened does not run. */
function isOpened(file: string): boolean {
  const [, path = ""] = /^\w+ (.*)$/s.exec(absolute(file)) ?? [];
  // A file is no folder.
  if (file.endsWith("/")) return false;
  return path === "/dev/null" || OPENED_FILES.some((one) => one === path);
}

function isSound(one: Reported, { commands, files }: Executed): boolean {
  const opened = new Set(one.reported.flatMap((command) => (command.files ?? []).map(absolute)));
  if (files.some((file) => !opened.has(file))) return false;
  const reported = one.reported.map(({ argv }) => argv).filter((argv) => argv.length > 0);
  if (isExact(one))
    return (
      reported.length === commands.length &&
      commands.every((argv, index) => isSame(reported[index] ?? [], argv))
    );
  // What follows `&&` or `||` may not run: anything else is one too many.
  const left = [...reported];
  for (const argv of commands) {
    const at = left.findIndex((other) => isSame(other, argv));
    if (at < 0) return false;
    left.splice(at, 1);
  }
  return UNORDERED.test(one.line) || isInOrder(commands, reported);
}

function absolute(file: string): string {
  const [, access = "", path = ""] = /^(\w+) (.*)$/s.exec(file) ?? [];
  return `${access} ${posix.resolve("/ws", path)}`;
}

/** Of `echo`, `$?` and the like are reported as they are written, and shown with their value. */
export function isSame(reported: readonly string[], argv: readonly string[]): boolean {
  const isShown = /^(?:echo|printf|test|\[|exit|wait|kill)$/.test(reported[0] ?? "");
  const own = argv.map(fromHere);
  if (JSON.stringify(reported.map(fromHere)) === JSON.stringify(own)) return true;
  if (!isShown || !reported.some((arg) => VALUE.test(arg))) return false;
  const pattern = reported
    .join(" ")
    .split(VALUE)
    .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[^\0]*?");
  return new RegExp(`^${pattern}$`, "s").test(own.join(" "));
}

/** `$PWD` is reported as the folder itself. */
function fromHere(arg: string): string {
  return arg.replace(/^\/ws(?=[/:]|$)/, ".");
}

/** What is shown with its value; the names are those of the reader. */
const VALUE =
  /\$+(?:[?$!#]|PATH|USER|LOGNAME|SHELL|LANG|TERM|HOSTNAME|OLDPWD|EDITOR|PAGER|NODE_ENV|CI|VIRTUAL_ENV|TMPDIR|UID|EUID|PPID|SHLVL|OSTYPE|MACHTYPE|BASH_VERSION|RANDOM|SECONDS|COLUMNS|LINES)/;

function isInOrder(executed: Executed["commands"], reported: readonly (readonly string[])[]): boolean {
  let at = 0;
  return executed.every((argv) => {
    const found = reported.findIndex((other, index) => index >= at && isSame(other, argv));
    at = found + 1;
    return at > 0;
  });
}

/** A name with a slash is only run where there is a program of that name. */
function isThere([name = ""]: readonly string[]): boolean {
  return !name.includes("/") || STUB_PATHS.some((path) => path === name);
}
