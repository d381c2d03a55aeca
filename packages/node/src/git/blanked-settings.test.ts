import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { bubblewrapSandbox } from "../sandbox/bubblewrap/bubblewrap.ts";
import { probeSandbox } from "../sandbox/probe/probe-sandbox.ts";
import {
  runLine,
  type SandboxedWorkspace,
  sandboxedWorkspace,
} from "../sandbox/testing/sandboxed-workspace.test.kit.ts";
import { blankedSettings } from "./blanked-settings.ts";

function blanked(text: string): string | undefined {
  return blankedSettings(Buffer.from(text));
}

const REFERENCE = ["$", "{NPM_TOKEN}"].join("");

test.each([
  "registry=https://registry.example/api/npm/npm-virtual/",
  "@scope:registry = https://npm.pkg.github.com",
  "save-exact=true",
  "save-prefix=~",
  "save-prefix=^",
  `//registry.example/:_authToken=${REFERENCE}`,
  "//registry.example/:_authToken=",
  "always-auth=true",
  "node-options=--max-old-space-size=4096",
  "public-hoist-pattern[]=*eslint*",
  "engine-strict",
  "init-license=Apache-2.0",
  "store-dir=~/.pnpm-store",
  "# the settings of this project",
  "; plain",
  "[section]",
  "",
])("a line without a secret stays: %j", (line) => {
  expect(blanked(`${line}\nsave-exact=true`)).toBe(`${line}\nsave-exact=true`);
});

test.each([
  ["//registry.example/:_authToken=hunter", "//registry.example/:_authToken="],
  ["//registry.example/:_password = aHVudGVy", "//registry.example/:_password ="],
  ["_auth=dXNlcjpodW50ZXI=", "_auth="],
  ["//registry.example/:username=me", "//registry.example/:username="],
  ["//registry.example/:keyfile=/home/me/.ssh/npm", "//registry.example/:keyfile="],
  ['key="-----BEGIN"', "key="],
  ["email=me@example.com", "email="],
  ["otp=123456", "otp="],
  ["something=npm_abcdefghijklmnopqrstuvwxyz0123456789", "something="],
  ["something=0123456789abcdef0123", "something="],
  ["something=aGVsbG8gd29ybGQhIQ==", "something="],
  ["registry=https://me:hunter@registry.example/", "registry=https://registry.example/"],
  ["proxy=http://me@proxy.example:8080", "proxy=http://proxy.example:8080"],
  ["registry=https://registry.example/?t=1", "registry="],
  ["# //registry.example/:_authToken=hunter", ";"],
  ["; npm_abcdefghijklmnopqrstuvwxyz0123456789", ";"],
  ["npm_abcdefghijklmnopqrstuvwxyz0123456789", ";"],
  ["npm_abcdefghijklmnopqrstuvwxyz0123456789=true", ";"],
  ["my-password", ";"],
  [`x=${REFERENCE}hunter\u00e9`, "x="],
])("what may be a secret is left out of %j", (line, expected) => {
  expect(blanked(`save-exact=true\n${line}`)).toBe(`save-exact=true\n${expected}`);
});

test("what is no text, or very long, has no copy", () => {
  expect(blankedSettings(Buffer.from([0x61, 0xff]))).toBeUndefined();
  expect(blanked("a=\0")).toBeUndefined();
  expect(blanked("a\u001b[0m")).toBeUndefined();
  expect(blanked(`${"a".repeat(65_536)}\n`)).toBeUndefined();
});

const { isolation } = await probeSandbox(bubblewrapSandbox());
const reason = isolation === "none" ? ": skipped, bubblewrap does not work here" : "";

describe.skipIf(isolation === "none")(`the project's own .npmrc${reason}`, () => {
  let workspace: SandboxedWorkspace;
  const text =
    "save-exact=true\nregistry=https://registry.example/\n//registry.example/:_authToken=hunter2\n";

  beforeEach(() => {
    workspace = sandboxedWorkspace();
    workspace.write({ ".npmrc": text, "package.json": "{}" });
  });
  async function run(line: string, changes = {}): Promise<string> {
    const sandbox = bubblewrapSandbox({ protection: { quarantine: workspace.quarantine } });
    const { output, complaint } = await runLine(sandbox, `exec 2>&1; ${line}`, workspace.profile(changes));
    return complaint === undefined ? output : `${output}${String(complaint)}`;
  }

  test("is seen by npm as outside, without its tokens", async () => {
    const shown = await run("npm config get save-exact; npm config get registry; cat .npmrc; ls -l .npmrc");
    expect(shown).toMatch(/^true\nhttps:\/\/registry\.example\/\nsave-exact=true\n/m);
    expect(shown).not.toContain("hunter2");
    const outside = execFileSync("npm", ["config", "get", "save-exact"], {
      cwd: workspace.path,
      encoding: "utf8",
    });
    expect(outside).toBe("true\n");
  });

  test("cannot be changed or replaced, and is as it was afterwards", async () => {
    expect(await run("echo x >> .npmrc; rm -f .npmrc; mv .npmrc a; cp package.json .npmrc")).not.toContain(
      "hunter2",
    );
    expect(readFileSync(join(workspace.path, ".npmrc"), "utf8")).toBe(text);
  });

  test("stays hidden where a rule denies it or the host application hides it", async () => {
    expect(await run("cat .npmrc", { isDeniedToRead: () => true })).not.toContain("save-exact");
    expect(await run("cat .npmrc", { hidden: [join(workspace.path, ".npmrc")] })).not.toContain("save-exact");
  });

  test("is shown as it is to a call that was allowed to read it", async () => {
    const read = [join(workspace.path, ".npmrc")];
    expect(await run("cat .npmrc; echo x >> .npmrc", { read })).toMatch(/hunter2[\s\S]*Read-only/);
    expect(existsSync(join(workspace.path, ".npmrc"))).toBe(true);
  });
});
