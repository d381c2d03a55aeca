import { expect, test } from "vitest";
import { emptyRecord, killedRun } from "./kill-campaign.ts";

/** `npm run campaign:agent` kills at 100 random points. Here each kind of what can be in flight is chosen once. */
test("an agent whose process is killed, with its subagent, pays for no reply twice, repeats nothing and loses no question", async () => {
  const [gated, ungated] = [emptyRecord(), emptyRecord()];
  await Promise.all([
    killedRun(gated, {
      points: [
        { at: "command", of: "root" },
        { at: "person", of: "reviewer" },
        { at: "command", of: "reviewer" },
        { at: "model", of: "root" },
      ],
    }),
    killedRun(ungated, { points: [{ at: "command", of: "root" }], isGateOff: true }),
  ]);
  expect(gated).toEqual({
    ...{ kills: 4, inFlight: { model: 1, call: 0, command: 2, person: 1 }, inSubagent: 2, idle: 0 },
    ...{ runs: 1, plain: 0, resolved: 1, unknown: 2 },
    ...{ paidTwice: [], ranTwice: [], lostRequests: [], failed: [], otherFiles: [] },
  });
  // Without the intent gate the command that was killed runs again: the kills are where they matter.
  expect(ungated.ranTwice).toEqual([expect.stringContaining("failed\\nfailed")]);
});
