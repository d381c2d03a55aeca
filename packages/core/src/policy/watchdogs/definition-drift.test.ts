import { describe, expect, test } from "vitest";
import type { SourceKind } from "../../contract/origin.ts";
import { circumstancesOf, judgedCall } from "../judged-call.ts";
import { definitionDrift, pinDefinitions } from "./definition-drift.ts";

const remote = { serverId: "weather", tool: "now" };
const call = judgedCall({ tool: "weather_now", effects: [], source: "mcp", remote });
const ADDRESS = "code/mcp:weather/weather_now";

function at(hash: string | Promise<string>) {
  return circumstancesOf({ definitionHash: () => hash });
}

describe("a tool of somebody else's", () => {
  test("passes while it is what it was", () => {
    expect(definitionDrift({ pinned: [[ADDRESS, "a"]] }).judge(call, at("a"))).toEqual({ action: "allow" });
  });

  test("asks once it says something else of itself, naming the tool and both fingerprints", () => {
    expect(definitionDrift({ pinned: [[ADDRESS, "aaaa"]] }).judge(call, at("bbbb"))).toEqual({
      action: "ask",
      reason: expect.stringMatching(/weather_now of code\/mcp:weather .*aaaa became bbbb/),
    });
    const denying = definitionDrift({ pinned: [[ADDRESS, "a"]], verdict: "deny" });
    expect(denying.judge(call, at("b"))).toMatchObject({ action: "deny" });
  });

  test("waits for a fingerprint that takes time, and fails with it", async () => {
    const watchdog = definitionDrift({ pinned: [[ADDRESS, "a"]] });
    await expect(watchdog.judge(call, at(Promise.resolve("b")))).resolves.toMatchObject({ action: "ask" });
    await expect(watchdog.judge(call, at(Promise.reject(new Error("no"))))).rejects.toThrow("no");
  });

  test("passes where nothing was pinned", () => {
    expect(definitionDrift({ pinned: [] }).judge(call, at("b"))).toEqual({ action: "allow" });
  });
});

test.each([
  ["code", "allow"],
  ["bundled", "allow"],
  ["folder", "ask"],
  ["openapi", "ask"],
  ["ai-sdk", "ask"],
] as const)("a tool from %s: %s", (source: SourceKind, action) => {
  const other = judgedCall({ tool: "x", effects: [], source });
  const pinned = [[`${other.found.originName}/x`, "a"]] as const;
  expect(definitionDrift({ pinned }).judge(other, at("b"))).toMatchObject({ action });
});

test("pins are made from the tools and their fingerprints", async () => {
  const pinned = await pinDefinitions([call.found], circumstancesOf().definitionHash);
  expect([...pinned.keys()]).toEqual([ADDRESS]);
  const watchdog = definitionDrift({ pinned });
  expect(await watchdog.judge(call, circumstancesOf())).toEqual({ action: "allow" });
  const changed = judgedCall({ tool: "weather_now", effects: [], source: "mcp", remote, mode: "read" });
  expect(await watchdog.judge(changed, circumstancesOf())).toMatchObject({ action: "ask" });
});

test("pins that contradict each other are refused", () => {
  const pinned = [
    [ADDRESS, "a"],
    [ADDRESS, "b"],
  ] as const;
  expect(() => definitionDrift({ pinned })).toThrow(/there twice/);
  expect(() => definitionDrift({ pinned: [[ADDRESS, ""]] })).toThrow(/empty/);
});
