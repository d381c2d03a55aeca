import { expect, test } from "vitest";
import { BENIGN_FLOWS } from "./flows/benign-flows.ts";
import { LEAKING_FLOWS } from "./flows/leaking-flows.ts";

/** `npm run flows` plays them. */
test("the flows are those of the review, and each is there once", () => {
  expect(BENIGN_FLOWS.flatMap(({ calls }) => calls)).toHaveLength(72);
  expect(new Set(LEAKING_FLOWS.map(({ name }) => name)).size).toBe(LEAKING_FLOWS.length);
  expect(LEAKING_FLOWS.filter(({ byTaint }) => byTaint).length).toBeGreaterThan(15);
});
