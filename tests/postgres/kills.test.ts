import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CampaignRecord, killAgainAndAgain } from "./kills/kill-campaign.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";
import { POSTGRES_URL } from "./test-stores.ts";

const IS_CAMPAIGN = process.env["TOOLKEEP_RUNS"] !== undefined;
const size = IS_CAMPAIGN ? { sessions: 300, turns: 5, kills: 9 } : { sessions: 100, turns: 3, kills: 3 };
const LIMIT_MS = 600_000;
/** More than 1, because some calls have ended and are not recorded yet. On a busy machine that takes longer. */
const MOST_UNKNOWN = IS_CAMPAIGN ? 1.15 : 1.5;

describe.skipIf(POSTGRES_URL === "")("kills", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  test(
    "a process that is killed loses no call and repeats none behind the gate; another process finishes its turns",
    async () => {
      const record = await killAgainAndAgain(server, { ...size, killed: "process" });
      print("process", record);
      expectNothingLost(record);
      // Without duplicates in the control, nothing was there to prevent.
      expect(record.controlTwice.length).toBeGreaterThan(0);
      const inFlight = record.inFlight.reduce((sum, one) => sum + one, 0);
      expect(record.unknown / inFlight).toBeLessThanOrEqual(MOST_UNKNOWN);
      expect(record.finishedElsewhere).toBeGreaterThan(0);
    },
    LIMIT_MS,
  );

  test(
    "a database that is killed costs no call its outcome",
    async () => {
      const record = await killAgainAndAgain(server, { ...size, killed: "database" });
      print("database", record);
      expectNothingLost(record);
      expect(record.unknown).toBe(0);
    },
    LIMIT_MS,
  );
});

function expectNothingLost({ inFlight, lost, twice, broken, leftOver }: CampaignRecord): void {
  for (const count of inFlight) expect(count).toBeGreaterThanOrEqual(8);
  expect({ lost, twice, broken, leftOver }).toEqual({ lost: [], twice: [], broken: [], leftOver: 0 });
}

function print(killed: string, record: CampaignRecord): void {
  const { inFlight, unknown, controlTwice, finishedElsewhere, seconds } = record;
  console.log(
    `killed ${killed} with ${inFlight.join(", ")} calls in flight: ${unknown} unknown, control twice ${controlTwice.length}, finished elsewhere ${finishedElsewhere}, ${seconds.toFixed(1)} s`,
  );
}
