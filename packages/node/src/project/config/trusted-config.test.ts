import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { putFile, temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { createProjectTrust, type TrustAnswer, type TrustRequest } from "../trust/project-trust.ts";
import { trustStore } from "../trust/trust-store.ts";
import { formatConfigDiagnostic } from "./config-diagnostics.ts";
import { readConfig } from "./read-config.ts";

let top: string;
let project: string;
let asked: TrustRequest[];

beforeEach(async () => {
  top = temporaryFolder();
  project = join(top, "project");
  asked = [];
  await mkdir(join(project, ".git"), { recursive: true });
  await mkdir(join(project, "sub"));
});

const inProject = (name: string) => join(project, name);
const whys = () => asked.map(({ why, things }) => [why, ...things].join(" "));

const write = (name: string, value: unknown) => putFile(inProject(name), value);

function read(answer: TrustAnswer, cwd = "sub", whileAsked?: () => Promise<void>) {
  const decide = async (request: TrustRequest) => {
    asked.push(request);
    await whileAsked?.();
    return answer;
  };
  const trust = createProjectTrust({ store: trustStore(join(top, "trust.json")), decide });
  return readConfig({
    ...{ cwd: inProject(cwd), home: join(top, "home"), env: {}, managed: join(top, "none"), trust },
  });
}

test("a configuration that was added in a deeper folder is asked about, and does not apply before", async () => {
  await read("trust");
  write("sub/toolkeep.jsonc", { policy: "../rules.yaml", tools: { bash: { shell: "/evil" } } });
  write("rules.yaml", "version: 1");
  expect(await read("decline")).toMatchObject({
    untrusted: "it was declined",
    config: { policy: [{ text: "version: 1", narrows: "added" }], tools: {} },
  });
  expect(whys()).toEqual(["new", "grown rules.yaml sub/toolkeep.jsonc"]);
  const { config } = await read("trust");
  expect(config).toMatchObject({ policy: [{ path: inProject("rules.yaml") }] });
  await read("decline");
  expect(asked).toHaveLength(3);
});

test("one yes to a new project covers what is read then, and another folder has its own", async () => {
  write("toolkeep.jsonc", { policy: "rules.yaml" });
  write("rules.yaml", "version: 1");
  write("sub/.toolkeep/config.local.json", { denied: ["bash"] });
  write("other/toolkeep.json", { denied: ["read"] });
  expect((await read("trust")).config?.denied).toEqual(["bash"]);
  expect((await read("decline")).config?.denied).toEqual(["bash"]);
  expect((await read("decline", "other")).untrusted).toBe("it was declined");
  expect(whys()).toEqual(["new", "grown other/toolkeep.json"]);
});

test("a policy file that commands can write to is asked about when it changed, and so is the target of a link", async () => {
  write("toolkeep.jsonc", { policy: "rules.yaml" });
  write("rules.yaml", "version: 1");
  write("plain.json", { denied: ["bash"] });
  await symlink("../plain.json", inProject("sub/toolkeep.json"));
  await read("trust");
  write("rules.yaml", "version: 1 # changed");
  write("plain.json", {});
  expect((await read("decline")).untrusted).toBe("it was declined");
  expect(whys()).toEqual(["new", "changed plain.json rules.yaml"]);
});

test("what was added during the question does not apply", async () => {
  await read("trust");
  write("sub/.toolkeep/config.json", { denied: ["read"] });
  const { config, diagnostics } = await read("trust", "sub", async () => {
    write("sub/.toolkeep/config.local.json", { tools: { bash: { shell: "/evil" } } });
  });
  expect(config).toBeUndefined();
  expect(diagnostics.map(formatConfigDiagnostic)).toEqual([
    expect.stringMatching(
      /config\.local\.json:1:1: error: The file is refused: it is not what was trusted\./,
    ),
  ]);
});
