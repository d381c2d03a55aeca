import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { parseCommand } from "@toolkeep/node";
import { commandsOnDisk } from "@toolkeep/node/internal";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

/*
 * What a real mise starts, compared with what is decided about the command. It runs where mise is installed;
 * `npm run campaign:shims` fetches it.
 */

const PACKAGE = "@jdxcode/mise-linux-x64";
const isCampaign = process.env["TOOLKEEP_RUNS"] !== undefined;
const installed = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "mise"))
  .find((path) => existsSync(path));

const FOLDERS = [
  ...[
    "mise.toml",
    ".mise.toml",
    "mise.local.toml",
    ".mise.local.toml",
    "mise/config.toml",
    ".mise/config.toml",
  ],
  ...[
    ".config/mise.toml",
    ".config/mise/config.toml",
    ".config/mise/mise.toml",
    ".config/mise/conf.d/a.toml",
  ],
  ...[".config/mise/conf.d/a/mise.toml", "mise/conf.d/a/mise.local.toml"],
  ...["mise/conf.d/a.toml", ".mise/conf.d/a.toml", ".mise/config.local.toml", ".config/mise.local.toml"],
];
const CASES: readonly (readonly [file: string, text: string])[] = [
  ...FOLDERS.map((file) => [file, '[tools]\nnode = "path:TOOLS"\n'] as const),
  ["mise.toml", '[tools]\nnode = { path = "TOOLS" }\n'],
  ["mise.toml", '[tools.node]\nversion = "path:TOOLS"\n'],
  ["mise.toml", '[tools]\nnode = "\\u0070ath:TOOLS"\n'],
  ["mise.toml", 'tools.node = "path:TOOLS"\n'],
  ["mise.toml", '[tasks.a]\nrun = "true"\n[tools]\nnode = ["path:TOOLS"]\n'],
  [".tool-versions", "# x\nnodejs path:TOOLS\n"],
  [".tool-versions", "node   path:TOOLS   22\n"],
  [".nvmrc", "path:TOOLS\n"],
  ["package.json", '{ "devEngines": { "runtime": { "name": "node", "version": "path:TOOLS" } } }'],
];

describe.skipIf(installed === undefined && !isCampaign)("a program behind a shim of a real mise", () => {
  let base: string;
  let mise: string;
  beforeAll(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-mise-")));
    if (installed === undefined)
      execFileSync("npm", ["install", "--no-save", "--prefix", base, `${PACKAGE}@2026.9.15`], {
        stdio: "ignore",
      });
    mise = installed ?? join(base, `node_modules/${PACKAGE}/bin/mise`);
    mkdirSync(join(base, "home/.local/share/mise/shims"), { recursive: true });
    for (const name of ["jq", "npm"]) symlinkSync(mise, join(base, `home/.local/share/mise/shims/${name}`));
    vi.stubEnv("HOME", join(base, "home"));
    vi.stubEnv("MISE_DATA_DIR", undefined);
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(base, { recursive: true, force: true });
  });

  test.each(CASES)("asks whenever %s makes mise start the project's: %j", async (file, text) => {
    const root = join(base, "home/ws");
    rmSync(root, { recursive: true, force: true });
    for (const name of ["jq", "npm"])
      put(join(root, `tools/bin/${name}`), "#!/bin/sh\necho PROJECT\n", 0o755);
    put(join(root, file), text.replaceAll("TOOLS", join(root, "tools")));
    for (const line of ["jq --version", "npm --version"]) {
      const { stdout } = spawnSync("/bin/sh", ["-c", line], {
        cwd: root,
        env: environment(base),
        encoding: "utf8",
      });
      const { commands = [] } = await parseCommand(line, { home: base });
      const effects = await commandsOnDisk(
        { line, commands, folder: root },
        { roots: [root], isProtected: () => false },
      );
      const isAsked = effects.some(({ capability }) => capability === "shell.dynamic");
      if (stdout.includes("PROJECT")) expect(isAsked).toBe(true);
      started += stdout.includes("PROJECT") ? 1 : 0;
    }
  });

  test("and most of these files did make it start the project's", () => {
    expect(started).toBeGreaterThan(CASES.length);
  });
});

let started = 0;

function environment(base: string): NodeJS.ProcessEnv {
  return {
    PATH: `${base}/home/.local/share/mise/shims:/usr/bin:/bin`,
    ...{ HOME: `${base}/home`, MISE_OFFLINE: "1", MISE_IDIOMATIC_VERSION_FILE_ENABLE_TOOLS: "node" },
  };
}

function put(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}
