import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { whyNoJail } from "../jail/outer-jail.ts";
import { inCrowd } from "../time-limits/crowd.ts";
import { cliBench, OWN_COMMAND, runProgram } from "./cli-bench.ts";
import { CALLS, CLIENTS_WITH_HISTORY, layHistories } from "./lay-histories.ts";
import { snapshotOf } from "./snapshot.ts";

/** With `TOOLKEEP_RUNS` as many as the goal is for. */
const WANTED = process.env["TOOLKEEP_RUNS"] === undefined ? 2_000 : 10_000;
const PER_COPY = Object.values(CALLS).reduce((sum, one) => sum + one, 0);
const COPIES = Math.ceil(WANTED / PER_COPY);
/**
 * The goal is 10 s. On a machine that does other things as well, the same work takes more time of the processor, and on
 * a slow one much more.
 */
const LONGEST_CPU_S = process.env["TOOLKEEP_RUNS"] === undefined ? 120 : 20;
/** It takes longer on a machine that does other things as well; then the time of the processor says more. */
const LONGEST_MS = inCrowd(100_000);

/** Prints the time of the processor as the last line of standard error. */
const MEASURED = `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(String((user + system) / 1e6));
});
`;

test.skipIf(whyNoJail("user") !== undefined)(
  `decides about ${WANTED} calls without a network, and writes nothing`,
  async () => {
    const bench = cliBench();
    try {
      for (const [path, text] of Object.entries({
        ".git/HEAD": "ref: refs/heads/main\n",
        "src/cart.js": "export {};\n",
        "package.json": '{ "name": "shop", "scripts": { "test": "node --test" }, "dependencies": {} }\n',
      })) {
        mkdirSync(dirname(join(bench.home, "shop", path)), { recursive: true });
        writeFileSync(join(bench.home, "shop", path), text);
      }
      layHistories(bench.home, CLIENTS_WITH_HISTORY, COPIES);
      const measured = join(bench.base, "measured.mjs");
      writeFileSync(measured, MEASURED);
      const before = snapshotOf(bench.base);
      const [node, program] = OWN_COMMAND;
      const { code, stdout, stderr } = await runProgram(
        [
          ...["bwrap", "--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
          ...[node, "--import", measured, program, "scan", "--json"],
        ],
        { cwd: bench.project, env: bench.environment, longestMs: LONGEST_MS },
      );
      expect(code).toBe(0);
      const report = JSON.parse(stdout);
      expect(report).toMatchObject({ calls: COPIES * PER_COPY, unknown: [], skipped: [] });
      expect(snapshotOf(bench.base)).toEqual(before);
      expect(Number(stderr.trim())).toBeLessThan(LONGEST_CPU_S);
    } finally {
      bench.remove();
    }
  },
);
