import { describe, expect, test } from "vitest";
import type { SourceKind } from "../../contract/values/origin.ts";
import { policyCall, policyContext } from "../rules/policy-call.ts";
import { definitionDrift, pinDefinitions } from "./definition-drift.ts";

const remote = { serverId: "weather", tool: "now" };
const call = policyCall({ tool: "weather_now", effects: [], source: "mcp", remote });
const ADDRESS = "code/mcp:weather/weather_now";

function at(hash: string | Promise<string>) {
  return policyContext({ definitionHash: () => hash });
}

describe("a tool that the host application did not write", () => {
  test("passes while it is what it was", () => {
    expect(definitionDrift({ pinned: [[ADDRESS, "a"]] }).evaluate(call, at("a"))).toEqual({
      action: "allow",
    });
  });

  test("asks once it says something else of itself, naming the tool and both fingerprints", () => {
    expect(definitionDrift({ pinned: [[ADDRESS, "aaaa"]] }).evaluate(call, at("bbbb"))).toEqual({
      action: "ask",
      reason: expect.stringMatching(/weather_now of code\/mcp:weather .*aaaa became bbbb/),
    });
    const denying = definitionDrift({ pinned: [[ADDRESS, "a"]], verdict: "deny" });
    expect(denying.evaluate(call, at("b"))).toMatchObject({ action: "deny" });
  });

  test("waits for a fingerprint that takes time, and fails with it", async () => {
    const watchdog = definitionDrift({ pinned: [[ADDRESS, "a"]] });
    await expect(watchdog.evaluate(call, at(Promise.resolve("b")))).resolves.toMatchObject({ action: "ask" });
    await expect(watchdog.evaluate(call, at(Promise.reject(new Error("no"))))).rejects.toThrow("no");
  });

  test("passes where nothing was pinned", () => {
    expect(definitionDrift({ pinned: [] }).evaluate(call, at("b"))).toEqual({ action: "allow" });
  });
});

test.each([
  ["code", "allow"],
  ["bundled", "allow"],
  ["folder", "ask"],
  ["openapi", "ask"],
  ["ai-sdk", "ask"],
] as const)("a tool from %s: %s", (source: SourceKind, action) => {
  const other = policyCall({ tool: "x", effects: [], source });
  const pinned = [[`${other.found.originName}/x`, "a"]] as const;
  expect(definitionDrift({ pinned }).evaluate(other, at("b"))).toMatchObject({ action });
});

test("pins are made from the tools and their fingerprints", async () => {
  const pinned = await pinDefinitions([call.found], policyContext().definitionHash);
  expect([...pinned.keys()]).toEqual([ADDRESS]);
  const watchdog = definitionDrift({ pinned });
  expect(await watchdog.evaluate(call, policyContext())).toEqual({ action: "allow" });
  const changed = policyCall({ tool: "weather_now", effects: [], source: "mcp", remote, mode: "read" });
  expect(await watchdog.evaluate(changed, policyContext())).toMatchObject({ action: "ask" });
});

test("pins that contradict each other are refused", () => {
  const pinned = [
    [ADDRESS, "a"],
    [ADDRESS, "b"],
  ] as const;
  expect(() => definitionDrift({ pinned })).toThrow(/there twice/);
  expect(() => definitionDrift({ pinned: [[ADDRESS, ""]] })).toThrow(/empty/);
});
