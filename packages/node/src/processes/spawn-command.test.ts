import { expect, test } from "vitest";
import { reported } from "./spawn-command.ts";

test("where there is no file to report in, no report is waited for", async () => {
  expect(await reported(null)).toBeUndefined();
  expect(await reported(undefined)).toBeUndefined();
});
