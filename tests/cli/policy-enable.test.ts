import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CliBench, cliBench, OWN_LINE } from "./cli-bench.ts";
import { hasPseudoTerminal, inTerminal } from "./pseudo-terminal.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
});
afterEach(() => bench.remove());

const POLICY = `version: 1
mode: observe
rules:
  - deny fs.* "**/.env*" because "Keys stay out of the model."
tests:
  - { read: .env, expect: deny }
`;

const EVIL = 'version: 1\nrules:\n  - allow shell.run "**"\n';

const enable = (...args: string[]) => bench.runHere(["policy", "enable", ...args]);
const config = () => readFileSync(join(bench.project, ".toolkeep/config.jsonc"), "utf8");

async function decision(command = "cat .env"): Promise<{ readonly action: string; readonly at?: string }> {
  const { stdout } = await bench.runHere(["policy", "explain", command, "--json"]);
  return JSON.parse(stdout)[0];
}

describe("toolkeep policy enable", () => {
  test("makes a repository's file decide, says what it changed and is ignored, and is undone", async () => {
    const file = bench.write("policy.yaml", POLICY);
    expect(await decision()).toMatchObject({ action: "allow" });
    const { code, stdout, stderr } = await enable("policy.yaml", "--yes");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${file} decides now in ${bench.project}: 1 rule, 1 test passed.\nTo undo it, run \`toolkeep policy disable\`. After each change of the file, run \`toolkeep trust\`.\n`,
    });
    expect(stderr).toContain("`mode: observe` does not apply");
    expect(stderr).toContain('+   "policy": "../policy.yaml"');
    expect(await decision()).toMatchObject({ action: "deny", at: `${file}:4` });
    expect(await enable("policy.yaml", "--yes")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("is enabled already"),
    });
    expect(await bench.runHere(["policy", "disable", "--yes"])).toMatchObject({ code: 0 });
    expect(await decision()).toMatchObject({ action: "allow" });
    expect(config()).not.toContain("policy");
  });

  test.each(["enable policy.yaml", "enable --user policy.yaml", "disable", "disable --user"])(
    "is refused to agents: policy %s",
    async (line) => {
      bench.write("policy.yaml", POLICY);
      const env = { CLAUDECODE: "1" };
      const { code } = await bench.runHere(["policy", ...line.split(" "), "--yes"], { env });
      expect([code, existsSync(join(bench.project, ".toolkeep"))]).toEqual([3, false]);
    },
  );

  test("keeps comments, other keys and the mode of a configuration", async () => {
    bench.write("policy.yaml", POLICY);
    const path = bench.write(
      ".toolkeep/config.jsonc",
      '// Ours.\n{\n\t"denied": ["web_fetch"], // why\n}\n',
      0o640,
    );
    await enable("policy.yaml", "--yes");
    expect(config().replaceAll(/\s+/g, "")).toBe(
      '//Ours.{"denied":["web_fetch"],"policy":"../policy.yaml",//why}',
    );
    expect(config()).toMatch(/^\/\/ Ours\.\n\{\n\t"denied": /);
    expect(statSync(path).mode & 0o777).toBe(0o640);
  });

  test.each([
    ["is invalid", "version: 1\nrules:\n  - deny fs.wirte x\n", [], "fs.wirte"],
    ["fails its tests", POLICY.replace("expect: deny", "expect: allow"), [], "expected allow, got deny"],
    [
      "has final rules",
      'version: 1\nrules: [final deny shell.run "x *"]\n',
      [],
      "A project cannot make a rule final",
    ],
    ["extends another file", "version: 1\nextends: [./base.yaml]\n", [], "There is no policy"],
    [
      "makes an allow final",
      'version: 1\nrules: [final allow shell.run "x *"]\n',
      ["--user"],
      "Only your administrator",
    ],
  ])("never enables a file that %s", async (_, text, options, said) => {
    bench.write("policy.yaml", text);
    bench.write("base.yaml", POLICY);
    const { code, stderr } = await enable("policy.yaml", "--yes", ...options);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(said) });
    expect(existsSync(join(bench.project, ".toolkeep"))).toBe(false);
    expect(await decision()).toMatchObject({ action: "allow" });
  });

  test("changes nothing without a terminal or --yes, and for a file outside of the project", async () => {
    bench.write("policy.yaml", POLICY);
    bench.write("../outside.yaml", POLICY);
    expect(await bench.run(["policy", "enable", "policy.yaml"])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("  .toolkeep/config.jsonc\n  policy.yaml\n"),
    });
    expect(await enable("../outside.yaml", "--yes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("toolkeep policy enable --user ../outside.yaml"),
    });
    expect(existsSync(join(bench.project, ".toolkeep"))).toBe(false);
  });

  test("says that an enabled file has changed, and trusts it again", async () => {
    const file = bench.write("policy.yaml", POLICY);
    await enable("policy.yaml", "--yes");
    bench.write("policy.yaml", POLICY.replace("rules:\n", "rules:\n  - allow shell.run make\n"));
    const { stderr } = await enable("policy.yaml", "--yes");
    expect(stderr).toContain("has changed since it was trusted:\n  policy.yaml\n");
    expect(await decision("make")).toMatchObject({ action: "allow", at: `${file}:4` });
  });

  test("--user makes it the policy of all projects", async () => {
    const file = bench.write("policy.yaml", POLICY.replace("mode: observe\n", ""));
    expect(await enable("policy.yaml", "--user", "--yes", "--json")).toMatchObject({ code: 0 });
    expect(await decision()).toMatchObject({ action: "deny", at: `${file}:3` });
    expect(existsSync(join(bench.project, ".toolkeep"))).toBe(false);
    await bench.runHere(["policy", "disable", "--user", "--yes"]);
    expect(await decision()).toMatchObject({ action: "allow" });
  });
});

describe("what a project's policy says", () => {
  const CI = ".toolkeep/config.jsonc";

  test("is listed before it is trusted, wherever the configuration finds it", async () => {
    bench.write("ci/rules.yaml", POLICY);
    bench.write(CI, '{ "policy": "../ci/rules.yaml" }');
    const { code, stderr } = await bench.run(["trust"]);
    expect([code, stderr]).toEqual([4, expect.stringContaining(`  ${CI}\n  ci/rules.yaml\n`)]);
  });

  test("is tested without naming the file where it has changed, and never called absent", async () => {
    const file = bench.write("policy.yaml", POLICY);
    expect(await bench.runHere(["policy", "test"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`toolkeep policy enable ${file}`),
    });
    await enable("policy.yaml", "--yes");
    bench.write("policy.yaml", `${POLICY}# changed\n`);
    for (const command of ["test", "check"])
      expect(await bench.runHere(["policy", command])).toMatchObject({
        ...{ code: 0, stdout: expect.stringContaining(file) },
        stderr: expect.stringContaining("has changed since it was trusted"),
      });
  });

  test("is said to block every call where it is trusted and invalid", async () => {
    bench.write("policy.yaml", POLICY.replace("deny", "dney"));
    bench.write(CI, '{ "policy": "policy.yaml" }');
    const { code, stderr } = await bench.runHere(["trust", "--yes"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/every call is blocked: .*policy\.yaml/)]);
    expect(stderr).toContain(`toolkeep trust revoke --project ${bench.project}`);
  });

  test.runIf(hasPseudoTerminal).each([
    ["trust", "policy.yaml", "a new project", () => {}],
    ["trust", CI, "a new project", () => {}],
    ["trust", "policy.yaml", "a changed project", () => bench.runHere(["trust", "--yes"])],
    ["policy enable policy.yaml", "policy.yaml", "a new project", () => {}],
  ] as const)(
    "is not trusted if it is replaced during the question: %s, %s of %s",
    async (line, replaced, _, lay) => {
      bench.write("policy.yaml", POLICY);
      bench.write("evil.yaml", EVIL);
      bench.write(CI, '{ "policy": "../policy.yaml" }');
      await lay();
      bench.write("policy.yaml", `${POLICY}# changed\n`);
      const meanwhile = () => bench.write(replaced, replaced === CI ? '{ "policy": "../evil.yaml" }' : EVIL);
      const typing = [{ after: /^trust/.test(line) ? "current state?" : "decide?", keys: "y\n", meanwhile }];
      const { code } = await inTerminal(`${OWN_LINE} ${line}`, typing, {
        cwd: bench.project,
        env: bench.environment,
      });
      expect(code).not.toBe(0);
      const { stdout } = await bench.runHere(["policy", "explain", "kubectl delete ns prod", "--json"]);
      // Without a decision, every call is blocked.
      expect(stdout).not.toMatch(/"action": ?"allow"/);
    },
  );

  test("is said to be ignored at the end of an installation", async () => {
    bench.write("policy.yaml", POLICY);
    bench.write(CI, '{ "policy": "policy.yaml" }');
    const { stdout } = await bench.runHere(["init", "claude-code", "--yes"]);
    expect(stdout).toContain(`toolkeep trust --project ${bench.project}`);
  });

  test.each(["config.jsonc", ""])("is not enabled through a link: .toolkeep/%s", async (name) => {
    bench.write("policy.yaml", POLICY);
    bench.write("../elsewhere/config.jsonc", "{}");
    mkdirSync(dirname(join(bench.project, ".toolkeep", name)), { recursive: true });
    symlinkSync(join("../elsewhere", name), join(bench.project, ".toolkeep", name));
    const { code, stderr } = await enable("policy.yaml", "--yes");
    expect([code, stderr]).toEqual([1, expect.stringContaining("is a link")]);
    expect(readFileSync(join(bench.project, "../elsewhere/config.jsonc"), "utf8")).toBe("{}");
  });
});

describe("`policy` in the folder .toolkeep", () => {
  test.each(["policy.yaml", "../policy.yaml"])("%s finds the file of the repository", async (path) => {
    const file = bench.write("policy.yaml", POLICY);
    bench.write(".toolkeep/config.jsonc", `{ "policy": "${path}" }`);
    await bench.runHere(["trust", "--yes"]);
    expect(await decision()).toMatchObject({ action: "deny", at: `${file}:4` });
  });

  test("finds the file next to it first", async () => {
    bench.write("policy.yaml", POLICY);
    const file = bench.write(".toolkeep/policy.yaml", POLICY);
    bench.write(".toolkeep/config.jsonc", '{ "policy": "policy.yaml" }');
    await bench.runHere(["trust", "--yes"]);
    expect(await decision()).toMatchObject({ action: "deny", at: `${file}:4` });
  });

  test("still denies what the trusted file denied where it is gone, or another takes its place", async () => {
    bench.write("policy.yaml", POLICY);
    bench.write(".toolkeep/config.jsonc", '{ "policy": "policy.yaml" }');
    await bench.runHere(["trust", "--yes"]);
    await decision();
    bench.write(".toolkeep/policy.yaml", "version: 1\n");
    expect(await decision()).toMatchObject({ action: "deny" });
    bench.write("policy.yaml", "version: 1\n");
    expect(await decision()).toMatchObject({ action: "deny" });
  });

  test("says where a file was looked for that is not there", async () => {
    bench.write(".toolkeep/config.jsonc", '{ "policy": "policy.yaml" }');
    await bench.runHere(["trust", "--yes"]);
    const { stderr } = await bench.runHere(["policy", "explain", "ls"]);
    expect(stderr).toContain(
      `The policy ${bench.project}/.toolkeep/policy.yaml is refused: it is not there, nor is ${bench.project}/policy.yaml.`,
    );
  });
});
