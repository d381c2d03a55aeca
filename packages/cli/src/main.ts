#!/usr/bin/env node
/** A hook that breaks must block: with any other code than 2 a client would let the call pass. */
const isHook = process.argv
  .slice(2)
  .filter((word) => !word.startsWith("-"))
  .slice(0, 2)
  .includes("hook");
const broken = isHook ? 2 : 1;

/** Nothing of the program is loaded before this: an older Node would only find fault with its words. */
const NODE_NEEDED = 24;
if (Number.parseInt(process.versions.node, 10) < NODE_NEEDED) {
  process.stderr.write(
    `toolkeep needs Node ${NODE_NEEDED} or newer, and this is ${process.versions.node} (${process.execPath}).\n`,
  );
  process.exit(broken);
}

/** Whoever read what we print has enough of it, which is nothing to complain of. As a shell counts that signal. */
const PIPE_CLOSED = 141;

process.on("uncaughtException", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE" && error.syscall === "write") process.exit(isHook ? broken : PIPE_CLOSED);
  process.stderr.write(`toolkeep: something went wrong inside (${error.name}: ${error.message}).\n`);
  process.exit(broken);
});

/** Until it is known better: a program that ends before it has decided must not look as if it had. */
process.exitCode = broken;

const LEFT_RUNNING_MS = 2_000;

try {
  const { runProgram } = await import("./program.ts");
  process.exitCode = await runProgram(process.argv.slice(2));
  if (isHook && process.exitCode !== 0) process.exitCode = 2;
} catch (error) {
  process.stderr.write(
    `toolkeep: the program cannot start (${error instanceof Error ? error.message : "unknown"}).\n`,
  );
  process.exitCode = broken;
} finally {
  // What something left running must not keep a program that has said all it had to say.
  setTimeout(() => {
    if (process.stdout.writableLength === 0) process.exit();
  }, LEFT_RUNNING_MS).unref();
}
