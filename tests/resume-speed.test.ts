import { expect, test } from "vitest";
import { runProgram } from "./crash/run-program.ts";
import { temporaryFolders } from "./crash/temporary-folder.ts";

const temporary = temporaryFolders();
/** `TOOLKEEP_RUNS=100000` for the size of the goal. */
const calls = Number(process.env["TOOLKEEP_RUNS"] ?? 20_000);

test(
  `a session of ${calls} calls is reopened, answered and resumed by a fresh process within a second`,
  async () => {
    const input = { folder: temporary(), sessionId: "long", calls };
    expect(await runProgram("write-long-session.ts", input).ended).toEqual({ code: 0, errors: "" });
    const child = runProgram("reopen-session.ts", input);
    expect(await child.ended).toEqual({ code: 0, errors: "" });
    const report = JSON.parse(child.lines[0] ?? "{}");
    expect(report).toMatchObject({ isIntact: true, result: { path: "first" }, nextTurn: calls + 2 });
    if (process.env["TOOLKEEP_RUNS"] !== undefined) console.log(`${calls} calls:`, report);
    expect(report.resumeMs).toBeLessThan(1_000);
  },
  60_000 + calls * 3,
);
