#!/usr/bin/env node
import { hookArguments, runHookProcess } from "./hooks/decider/hook-process.ts";
import { fs } from "./terminal/builtin.ts";

/** A hook that fails must exit with 2: with any other code the client lets the call pass. */
const isHook = process.argv
  .slice(2)
  .filter((arg) => !arg.startsWith("-"))
  .slice(0, 2)
  .includes("hook");
const failed = isHook ? 2 : 1;

/** Checked before the program is loaded: an older Node would only report syntax errors in it. */
const NODE_NEEDED = 24;
if (Number.parseInt(process.versions.node, 10) < NODE_NEEDED) {
  process.stderr.write(
    `toolkeep needs Node ${NODE_NEEDED} or newer, and this is ${process.versions.node} (${process.execPath}).\n`,
  );
  process.exit(failed);
}

/** The reader of standard output closed it, which is not an error. The code that shells use for SIGPIPE. */
const PIPE_CLOSED = 141;

process.on("uncaughtException", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE" && error.syscall === "write") process.exit(isHook ? failed : PIPE_CLOSED);
  process.stderr.write(`toolkeep: Internal error (${error.name}: ${error.message}).\n`);
  process.exit(failed);
});

/** A program that ends before it has decided must not report success. */
process.exitCode = failed;

const EXIT_GRACE_MS = 2_000;
const STDOUT = 1;

const args = process.argv.slice(2);
const hook = hookArguments(args);

try {
  if (hook !== undefined) process.exit(await runHookProcess(hook, import.meta.filename));
  if (args[0] === "decider" && args[1] !== undefined) process.exit(await runAsDecider(args[1]));
  process.exitCode = await runOther(args);
  if (isHook && process.exitCode !== 0) process.exitCode = 2;
} catch (error) {
  process.stderr.write(
    `toolkeep: The program cannot start (${error instanceof Error ? error.message : "unknown"}).\n`,
  );
  process.exitCode = failed;
} finally {
  // Open handles must not keep a finished program alive.
  setTimeout(() => {
    if (process.stdout.writableLength === 0) process.exit();
  }, EXIT_GRACE_MS).unref();
}

/** The version and the overview of the commands need nothing else to be loaded. */
async function runOther(line: readonly string[]): Promise<number> {
  if (line.length === 1 && (line[0] === "--version" || line[0] === "-V")) {
    const { VERSION } = await import("./terminal/version.ts");
    writeAtOnce(`${VERSION}\n`);
    return 0;
  }
  const isHelp = line.length > 0 && line.every((arg) => ["help", "-h", "--help", "--all"].includes(arg));
  if (isHelp && line[0] !== "--all") {
    const { overviewText } = await import("./commands/overview-text.ts");
    writeAtOnce(overviewText(undefined, line.includes("--all")));
    return 0;
  }
  const { runProgram } = await import("./program.ts");
  return runProgram(line);
}

/** Without the stream, which takes longer to load than all the rest. It is there for what cannot be written at once. */
function writeAtOnce(text: string): void {
  const bytes = new TextEncoder().encode(text);
  let written = 0;
  try {
    while (written < bytes.length) written += fs().writeSync(STDOUT, bytes, written);
  } catch {
    process.stdout.write(bytes.subarray(written));
  }
}

/** Started by hooks, and not a command for people. */
async function runAsDecider(path: string): Promise<number> {
  const { runDecider } = await import("./hooks/decider/run-decider.ts");
  return runDecider({ path, program: import.meta.filename });
}
