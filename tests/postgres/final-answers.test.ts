import { describe, test } from "vitest";
import { noThenYes } from "../ai/final-answers.ts";
import { POSTGRES_URL, testStores } from "./test-stores.ts";

describe.skipIf(POSTGRES_URL === "")("chats of the AI SDK", () => {
  const openStore = testStores();

  test("without `receive`, a no is final", async () => noThenYes(await openStore()));
});
