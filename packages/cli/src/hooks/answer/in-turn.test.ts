import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { inTurn } from "./in-turn.ts";

test("the same thing is done in turn, in the order of the calls, and another one meanwhile", async () => {
  const seen: string[] = [];
  const run = (key: string, name: string, ms: number) =>
    inTurn(key, async () => {
      seen.push(`${name} begins`);
      await wait(ms);
      seen.push(`${name} ends`);
      return name;
    });
  const all = await Promise.all([run("a", "a1", 60), run("a", "a2", 1), run("b", "b1", 20)]);
  expect(all).toEqual(["a1", "a2", "b1"]);
  expect(seen).toEqual(["a1 begins", "b1 begins", "b1 ends", "a1 ends", "a2 begins", "a2 ends"]);
});

test("what fails does not hold up the next one", async () => {
  const failing = inTurn("a", () => Promise.reject(new Error("no")));
  const next = inTurn("a", async () => "yes");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("yes");
});
