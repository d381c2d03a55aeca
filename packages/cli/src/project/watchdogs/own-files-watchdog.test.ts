import { policyCall, policyContext } from "@toolkeep/core/policy";
import { expect, test } from "vitest";
import { ownFilesWatchdog } from "./own-files-watchdog.ts";

const folders = Object.fromEntries(
  ["config", "state", "data", "cache", "run"].map((name) => [name, `/home/ada/.toolkeep/${name}`]),
) as unknown as Parameters<typeof ownFilesWatchdog>[0];
const NONE = { paths: [], variables: [] };

async function said(capability: string, target: string, note?: string): Promise<string> {
  const effect = { capability, target, known: "inferred", ...(note === undefined ? {} : { note }) } as const;
  const call = policyCall({ tool: "bash", effects: [effect] });
  const verdict = await ownFilesWatchdog(folders, NONE).evaluate(call, policyContext({}));
  return verdict.action === "allow" ? "nothing" : verdict.reason;
}

test.each([
  ["fs.write", "/home/ada/.toolkeep/config/policy.yaml"],
  ["fs.write", "/home/ada/.tool*/config/policy.yaml"],
  ["fs.write", "/home/*/{.toolkeep,x}/**"],
  ["fs.write", "/home/ada/.t?olkeep/[a-z]onfig/x"],
  ["fs.read", "/home/ada/**"],
  ["fs.read", "/home/ada/.toolkeep/state/token"],
  ["fs.delete", "/home/ada"],
  ["fs.delete", "/home/ada/*"],
  ["fs.delete", "/home/ada/.to*"],
  ["fs.delete", "/home/ada/*o*l*k*e*p"],
])("%s %s reaches files of Toolkeep", async (capability, target) => {
  expect(await said(capability, target)).toContain("the configuration or the state of Toolkeep");
});

test.each([
  ["fs.delete", "/home/ada/*.git"],
  ["fs.delete", "/home/ada/shop/**"],
  ["fs.write", "/home/ada/.tool*/other/x"],
  ["fs.write", "/home/ada/x?"],
  ["fs.write", "/home/ada/.toolkeep.json"],
  ["fs.read", "/home/ada/.toolkeep/config/policy.yaml"],
])("%s %s reaches none", async (capability, target) => {
  expect(await said(capability, target)).toBe("nothing");
});

test("of a file that is not known, writing asks and says that", async () => {
  const note = "Toolkeep cannot tell which file `$f` names";
  expect(await said("fs.write", "/**", note)).toBe(`${note}.`);
  expect(await said("fs.read", "/**", note)).toBe("nothing");
});
