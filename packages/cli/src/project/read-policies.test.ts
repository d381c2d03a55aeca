import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readPolicies } from "./read-policies.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolkeep-policies-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Layer = "user" | "project" | "local" | "managed";

function settings(...layers: readonly (readonly [Layer, string])[]) {
  const sources = layers.map(([layer, watchdogs], index) => {
    const path = join(folder, `${index}.yaml`);
    const text = `version: 1\nwatchdogs: { ${watchdogs} }\n`;
    if (layer === "project" || layer === "local") return { path, layer, text };
    writeFileSync(path, text);
    return { path, layer };
  });
  return readPolicies(sources, undefined).builtIn;
}

describe("the watchdogs of a project that is trusted", () => {
  test.each([
    ["project", "secrets: ask, loop: 100000"],
    ["local", "secrets: off, loop: off"],
  ] as const)("do not loosen what the user says: %s { %s }", (layer, project) => {
    expect(settings(["user", "secrets: deny, loop: 5"], [layer, project])).toEqual({
      secrets: "deny",
      loop: 5,
    });
  });

  test("may be stricter, and may wake one that sleeps", () => {
    const user = "secrets: ask, loop: 5, overreach: off";
    const project = "secrets: deny, loop: 3, overreach: ask";
    expect(settings(["user", user], ["project", project])).toEqual({
      secrets: "deny",
      loop: 3,
      overreach: "ask",
    });
    expect(settings(["user", ""], ["project", "loop: 7"])).toEqual({ loop: 7 });
  });

  test("say no `ask` where nobody said anything, because that may be less", () => {
    expect(settings(["user", ""], ["project", "secrets: ask"])).toEqual({});
  });

  test("come after those of the user and the machine, whichever was read first", () => {
    expect(settings(["project", "secrets: ask"], ["user", "secrets: deny"])).toEqual({ secrets: "deny" });
    expect(
      settings(["user", "secrets: ask"], ["project", "secrets: ask"], ["managed", "secrets: deny"]),
    ).toEqual({
      secrets: "deny",
    });
  });
});
