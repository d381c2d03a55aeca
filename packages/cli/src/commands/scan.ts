import type { Command } from "commander";
import { runScan } from "../scan/run-scan.ts";
import type { ScanReport } from "../scan/scan-report.ts";
import { screenOf } from "../scan/scan-screen.ts";
import { EXIT } from "../terminal/command-error.ts";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { sinceOf } from "../terminal/since.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

/** `toolkeep scan`. */
export function add(program: Command, done: Done): void {
  commandsOf(program, done)("scan", (command) => scan(optionsOf(command)));
}

interface ScanCommandOptions extends CommonOptions {
  readonly policy?: string;
  readonly since?: string;
}

async function scan(options: ScanCommandOptions): Promise<number> {
  const { policy: policyFile } = options;
  const terminal = openTerminal(options);
  const since = options.since === undefined ? 0 : sinceOf(options.since);
  const progress = progressLine(terminal.isQuiet);
  const report = await runScan({ cwd: terminal.cwd, policyFile, since, onProgress: progress.show });
  progress.clear();
  const screen = {
    width: Math.max(40, Math.min(process.stdout.columns ?? USUAL, WIDEST)),
    isOwnPolicy: policyFile !== undefined,
  };
  terminal.show(jsonOf(report), screenOf(report, screen));
  return EXIT.ok;
}

const WIDEST = 110;
const USUAL = 100;

/** One line on standard error that is overwritten, in a terminal. */
function progressLine(isQuiet: boolean) {
  const isShown = !isQuiet && process.stderr.isTTY === true && process.env["CI"] === undefined;
  return {
    show: (calls: number) => isShown && process.stderr.write(`\rReading the histories: ${calls} calls`),
    clear: () => isShown && process.stderr.write("\r\u001B[K"),
  };
}

function jsonOf({ first, last, ...report }: ScanReport) {
  const time = (at: number | undefined) => (at === undefined ? {} : { at: new Date(at).toISOString() }).at;
  const groups = <Group extends { readonly last: number }>(list: readonly Group[]) =>
    list.map((group) => ({ ...group, last: new Date(group.last).toISOString() }));
  return {
    ...report,
    first: time(first),
    last: time(last),
    denied: groups(report.denied),
    asked: groups(report.asked),
    redirected: groups(report.redirected),
    secrets: groups(report.secrets),
  };
}
