import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { runProgram } from "./crash/run-program.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** `TOOLKEEP_RUNS=100000` for the size of the goal. */
const calls = Number(process.env["TOOLKEEP_RUNS"] ?? 8_000);
const isCampaign = process.env["TOOLKEEP_RUNS"] !== undefined;
/** A machine that stands still for a while holds up one of them, not all. */
const ATTEMPTS = 3;

test(`a session of ${calls} calls is reopened, answered and resumed by a fresh process within a second${isCampaign ? "" : ", or in less than half of the time that it took to write"}`, async () => {
  const written = temporaryFolder();
  const input = { sessionId: "long", calls };
  const begun = performance.now();
  const writing = runProgram("write-long-session.ts", { ...input, folder: written });
  expect(await writing.ended).toEqual({ code: 0, errors: "" });
  const longest = isCampaign ? 1_000 : Math.max(1_000, (performance.now() - begun) / 2);
  const times: number[] = [];
  while (times.length < ATTEMPTS && !times.some((took) => took < longest)) {
    const folder = temporaryFolder();
    execFileSync("cp", ["-a", `${written}/.`, folder]);
    const child = runProgram("reopen-session.ts", { ...input, folder });
    expect(await child.ended).toEqual({ code: 0, errors: "" });
    const report = JSON.parse(child.lines[0] ?? "{}");
    expect(report).toMatchObject({ isIntact: true, result: { path: "first" }, nextTurn: calls + 2 });
    if (isCampaign) console.log(`${calls} calls:`, report);
    times.push(report.resumeMs);
  }
  expect(Math.min(...times), `ms of each attempt: ${times.join(", ")}`).toBeLessThan(longest);
});
