import { homedir } from "node:os";
import { join } from "node:path";
import { parsePolicy } from "@toolkeep/policy";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { sharedFolder } from "../../../../../tests/temporary-folder.ts";
import { type Project, readProject } from "../../project/read-project.ts";
import { ruleLine } from "../../project/rule-line.ts";
import { coverageOf } from "./covered-examples.ts";

let project: Project;
const base = sharedFolder();
beforeAll(async () => {
  vi.stubEnv("TOOLKEEP_HOME", join(base, "toolkeep"));
  project = await readProject({ cwd: base });
});
afterAll(() => vi.unstubAllEnvs());

function coverage(typed: string) {
  const text = `version: 1\nrules:\n  - ${ruleLine(typed)}\n`;
  const { ownRules } = parsePolicy(text, { file: "policy.yaml", scope: "manifest", home: homedir() });
  return coverageOf(
    ownRules.map(({ rule }) => rule),
    project,
  );
}

test.each(["toolkeep approve *", "npx toolkeep pause *", "fs.read ~/.ssh/**"])(
  "%j weakens what protects Toolkeep or keys, or would still be denied",
  async (typed) => {
    const { held, itself } = await coverage(typed);
    expect(held.length > 0 || itself?.decision.action === "deny").toBe(true);
  },
);

test("a narrow rule covers no example", async () => {
  expect(await coverage("terraform plan *")).toMatchObject({ others: [], held: [] });
});

test("a rule is tried as if its condition held, which it may at another hour", async () => {
  const { others } = await coverage('allow net.fetch "*" when "now.hour(\'UTC\') == 25"');
  const { others: always } = await coverage('allow net.fetch "*"');
  expect(others).toEqual(always);
  expect(others.length).toBeGreaterThan(0);
});
