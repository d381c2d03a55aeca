import { ToolkeepError } from "@toolkeep/core";
import { expect, test } from "vitest";
import { untilFree } from "./until-free.ts";

const inUse = () =>
  new ToolkeepError(
    "session_in_use",
    "It is in use: process 4711 has it open. Call `leave()` or `close()` on it there.",
  );

test("a hook waits until the others of its conversation are done", async () => {
  let left = 3;
  const opened = await untilFree(async () => {
    if (left-- > 0) throw inUse();
    return "opened";
  });
  expect(opened).toBe("opened");
});

test("a hook whose turn does not come says what to do, in words for a user", async () => {
  const waiting = untilFree(() => Promise.reject(inUse()), 50);
  await expect(waiting).rejects.toThrow(
    /process 4711 did not finish .* within 0\.05 seconds\. Run the call again; .* end process 4711\./,
  );
  await expect(waiting).rejects.not.toThrow(/leave\(\)/);
});

test("any other error is not waited for", async () => {
  let tries = 0;
  const open = () => {
    tries += 1;
    return Promise.reject(new ToolkeepError("journal_broken", "x"));
  };
  await expect(untilFree(open)).rejects.toThrow("x");
  expect(tries).toBe(1);
});
