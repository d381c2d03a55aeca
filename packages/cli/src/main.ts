#!/usr/bin/env node
/** A hook that breaks must block: with any other code than 2 a client would let the call pass. */
const isHook = process.argv
  .slice(2)
  .filter((word) => !word.startsWith("-"))
  .slice(0, 2)
  .includes("hook");
const broken = isHook ? 2 : 1;

process.on("uncaughtException", (error) => {
  process.stderr.write(`toolkeep: something went wrong inside (${error.name}: ${error.message}).\n`);
  process.exit(broken);
});

/** What is waited for may not keep the process by itself, e.g. the end of a server. */
const alive = setInterval(() => {}, 60_000);

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
  clearInterval(alive);
}
