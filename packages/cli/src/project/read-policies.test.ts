import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { readPolicies } from "./read-policies.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

type Layer = "user" | "project" | "local" | "managed";

async function settings(...layers: readonly (readonly [Layer, string])[]) {
  const sources = layers.map(([layer, watchdogs], index) => {
    const path = join(folder, `${index}.yaml`);
    const text = `version: 1\nwatchdogs: { ${watchdogs} }\n`;
    if (layer === "project" || layer === "local") return { path, layer, text };
    writeFileSync(path, text);
    return { path, layer };
  });
  return (await readPolicies(sources, undefined)).builtIn;
}

test("the locks of all files apply", async () => {
  const path = join(folder, "user.yaml");
  writeFileSync(path, "version: 1\nlocks: [deploy.run, fs.write]\n");
  const text = 'version: 1\nlocks: ["payments.*", fs.write]\n';
  const sources = [
    { path, layer: "user" },
    { path: join(folder, "project.yaml"), layer: "project", text },
  ] as const;
  expect((await readPolicies(sources)).locks).toEqual(["deploy.run", "fs.write", "payments.*"]);
});

describe("the watchdog settings of a trusted project", () => {
  test.each([
    ["project", "secrets: ask, loop: 100000"],
    ["local", "secrets: off, loop: off"],
  ] as const)("do not loosen the settings of the user: %s { %s }", async (layer, project) => {
    expect(await settings(["user", "secrets: deny, loop: 5"], [layer, project])).toEqual({
      secrets: "deny",
      loop: 5,
    });
  });

  test("may be stricter, and may enable a watchdog", async () => {
    const user = "secrets: ask, loop: 5, overreach: off";
    const project = "secrets: deny, loop: 3, overreach: ask";
    expect(await settings(["user", user], ["project", project])).toEqual({
      secrets: "deny",
      loop: 3,
      overreach: "ask",
    });
    expect(await settings(["user", ""], ["project", "loop: 7"])).toEqual({ loop: 7 });
  });

  test("cannot set `ask` where there is no setting, because the default may be stricter", async () => {
    expect(await settings(["user", ""], ["project", "secrets: ask"])).toEqual({});
  });

  test("apply after those of the user and the administrator, in any order of reading", async () => {
    expect(await settings(["project", "secrets: ask"], ["user", "secrets: deny"])).toEqual({
      secrets: "deny",
    });
    expect(
      await settings(["user", "secrets: ask"], ["project", "secrets: ask"], ["managed", "secrets: deny"]),
    ).toEqual({
      secrets: "deny",
    });
  });
});
