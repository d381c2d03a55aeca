import { expect, test } from "vitest";
import { killAgainAndAgain } from "./kill-campaign.ts";

/** `npm run campaign:agent` kills 100 times, and shows that there would be duplicates without the intent gate. */
const KILLS = 4;

test("an agent whose process is killed at any moment pays for no reply twice, repeats nothing and loses no question", {
  timeout: 600_000,
}, async () => {
  const records = await Promise.all([{ kills: KILLS }, { kills: KILLS }].map(killAgainAndAgain));
  for (const record of records) {
    expect(record).toMatchObject({ paidTwice: [], ranTwice: [], lostRequests: [], otherFiles: [] });
    expect(record.kills).toBe(KILLS);
    expect(record.plain + record.resolved).toBe(record.runs);
  }
});
