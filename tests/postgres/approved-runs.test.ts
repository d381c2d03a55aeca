import { approvedRuns } from "@toolkeep/core/internal";
import { expect, test } from "vitest";
import { answered, waiting } from "../approvals/waiting-calls.ts";
import { POSTGRES_URL, testStores } from "./test-stores.ts";

const openStore = testStores();

test.skipIf(POSTGRES_URL === "")(
  "the salt of an approval is kept with the raw call, and deleted with it",
  async () => {
    const store = await openStore();
    await waiting(store);
    const early = await approvedRuns("s", store.events("s"), store.pending);
    expect(early).toEqual({ ran: 0, edited: 0, compared: 2, deleted: 0, errors: [] });
    await answered(store);
    const late = await approvedRuns("s", store.events("s"), store.pending);
    expect(late).toEqual({ ran: 2, edited: 0, compared: 0, deleted: 2, errors: [] });
  },
);
