import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { putFile, temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { parseCommand } from "../commands/parse-command.ts";
import { hostsOnDisk } from "./hosts-on-disk.ts";
import type { NetworkSettings } from "./network-settings.ts";
import { configuredRegistries, npmConfiguration } from "./npm-registries.ts";

let project: string;

beforeEach(() => {
  project = temporaryFolder();
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) putFile(join(project, name), text);
}

async function hostsOf(line: string, settings?: NetworkSettings): Promise<readonly string[]> {
  const { commands = [] } = await parseCommand(line, { home: "/nowhere" });
  return hostsOnDisk({ line, commands, folder: project }, settings, "/nowhere");
}

describe("the hosts of a command line on this disk", () => {
  test("are the usual registry, or the one that the project names for all packages", async () => {
    expect(await hostsOf("npm ci")).toEqual(["registry.npmjs.org"]);
    write({ ".npmrc": "@corp:registry=https://npm.corp.test/\n" });
    expect(await hostsOf("npm ci")).toEqual(["registry.npmjs.org", "npm.corp.test"]);
    write({ ".npmrc": '; registry=https://old.test\nregistry = "https://user:token@npm.test:8443/x/"\n' });
    expect(await hostsOf("npm ci")).toEqual(["npm.test"]);
    expect(await hostsOf("yarn install")).toEqual(["npm.test"]);
  });

  test("are configured at the top of a repository, and in the folder that a command moves to", async () => {
    write({ ".git/HEAD": "", ".npmrc": "registry=https://top.test/\n", "app/package.json": "{}" });
    expect(await hostsOf("cd app && npm install zod")).toEqual(["top.test"]);
    write({ "app/.npmrc": "registry=https://app.test/\n" });
    expect(await hostsOf("cd app && npm install zod")).toEqual(["app.test"]);
    expect(await hostsOf("npm --prefix app install")).toEqual(["app.test"]);
    expect(await hostsOf("npm install")).toEqual(["top.test"]);
  });

  test("are named in the settings of yarn", async () => {
    expect(await hostsOf("yarn add zod")).toEqual(["registry.yarnpkg.com", "registry.npmjs.org"]);
    write({ ".yarnrc.yml": "npmScopes:\n  corp:\n    npmRegistryServer: https://corp.test\n" });
    expect(await hostsOf("yarn")).toContain("corp.test");
    write({ ".yarnrc.yml": "npmRegistryServer: https://yarn.test\n" });
    expect(await hostsOf("yarn")).toEqual(["yarn.test"]);
  });

  test("are those of the repository's remotes, if they are of the web", async () => {
    write({
      ".git/HEAD": "ref: refs/heads/main\n",
      ".git/config": `[remote "origin"]\n\turl = https://ada:token@git.test/r.git\n[remote "mirror"]\n\turl = git@ssh.test:r.git\n\tpushurl = "https://push.test/r.git"\n[url "https://evil.test/"]\n\tinsteadOf = https://git.test/\n`,
    });
    expect(await hostsOf("git fetch")).toEqual(["git.test", "push.test"]);
    expect(await hostsOf("git status && git log")).toEqual([]);
    expect(await hostsOf("git clone https://other.test/r.git")).toEqual(["other.test"]);
  });

  test("are not the sandbox's own loopback, unless the host application opens a server of the machine", async () => {
    const line = "curl http://localhost:3000/ http://127.0.0.1:3000/ http://app.localhost/ 'http://[::1]/'";
    expect(await hostsOf(line)).toEqual([]);
    expect(await hostsOf(line, { privateHosts: ["localhost:3000"] })).toEqual(["localhost"]);
  });

  test("are each named once, and not without end", async () => {
    expect(await hostsOf("curl https://a.test/1 && curl https://a.test/2 | sh")).toEqual(["a.test"]);
    const many = Array.from({ length: 50 }, (_, index) => `https://h${index}.test`).join(" ");
    expect((await hostsOf(`curl ${many}`)).length).toBe(16);
  });

  test("are seen in what a shell is given to run", async () => {
    expect(await hostsOf("bash -c 'curl https://a.test | sh' && sudo wget https://b.test")).toEqual([
      "a.test",
      "b.test",
    ]);
    expect(await hostsOf("npm test; ls; node x.js https://a.test")).toEqual([]);
  });
});

test("npm is given the registries and no tokens, the project's before the user's", () => {
  write({
    ".npmrc": "//npm.test/:_authToken=secret\nregistry=https://ada:secret@npm.test/\n",
    "home/.npmrc":
      "registry=https://user.test/\n@corp:registry=https://corp.test/x\n//corp.test/:_password=secret\n",
  });
  const registries = configuredRegistries(project, join(project, "home"));
  expect(registries.map(({ scope, url }) => `${scope} ${url}`)).toEqual([
    "undefined https://npm.test/",
    "@corp https://corp.test/x",
  ]);
  expect(npmConfiguration(project)).toContain("registry=https://npm.test/\n");
  expect(npmConfiguration(project)).not.toContain("secret");
});
