import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noSandbox } from "@toolkeep/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ask,
  has,
  installPackages,
  installServers,
  linkPrograms,
  NO_SANDBOX,
  openLspProject,
} from "./lsp-project.ts";

const ACTIONS = [
  { action: "definition", symbol: "greet" },
  { action: "references", symbol: "greet" },
  { action: "hover", symbol: "greet" },
  { action: "diagnostics" },
  { action: "symbols" },
  { action: "symbols", query: "greet" },
];

/** What a repository brings to have run by who opens it: programs under names that servers start, and what names them. */
const PROGRAMS = [
  "venv/bin/python",
  "bin/python3",
  "bin/go",
  "bin/shellcheck",
  "bin/pkg-config",
  "bin/gopls",
];

function filesWith(trap: (name: string) => string): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(PROGRAMS.map((name) => [name, trap(name)])),
    "node_modules/plugin/index.js": `require("node:child_process").execFileSync("./trap");\nmodule.exports = () => ({ create: (info) => info.languageService });\n`,
    trap: trap("plugin"),
    "json.py": 'import subprocess\nsubprocess.run(["./trap"])\n',
    ".vscode/settings.json": JSON.stringify({
      "typescript.tsdk": "./node_modules/plugin",
      "python.defaultInterpreterPath": "./venv/bin/python",
      "bashIde.shellcheckPath": "./trap",
      "gopls.env": { PATH: "./bin" },
    }),
    "tsconfig.json": '{ "compilerOptions": { "plugins": [{ "name": "plugin" }, { "name": "../trap" }] } }',
    "pyrightconfig.json": '{ "venvPath": ".", "venv": "venv", "extends": "./other.json" }',
    "other.json": '{ "pythonPath": "./venv/bin/python" }',
    "venv/pyvenv.cfg": "home = ./bin\n",
    "go.mod": "module example.com/m\n\ngo 1.18\n",
    "go.work": "go 1.18\n\nuse .\n",
    ".shellcheckrc": "external-sources=true\nsource-path=SCRIPTDIR\n",
    "a.ts": "export function greet() {}\n",
    "a.py": "def greet(): ...\n",
    "a.sh": "greet() { :; }\n",
    "a.go":
      'package m\n\n// #cgo pkg-config: trap\n// #cgo CFLAGS: -DX\nimport "C"\n\n//go:generate ./trap\nfunc greet() {}\n',
  };
}

let installed: ReturnType<typeof installServers>;
let outside: string;
let host: Server;
let connections = 0;

beforeAll(async () => {
  installed = installServers();
  outside = realpathSync(mkdtempSync(join(tmpdir(), "toolkeep-outside-")));
  chmodSync(outside, 0o777);
  host = createServer((socket) => {
    connections += 1;
    socket.on("error", () => {});
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(host, "listening");
});
afterAll(() => {
  host.close();
  installed.remove();
  rmSync(outside, { recursive: true });
});

/** Leaves a file in the project and one outside of it, and connects to this machine. */
function trap(name: string): string {
  const mark = name.replaceAll("/", "-");
  const { port } = host.address() as AddressInfo;
  return `#!/bin/bash\necho ran > trapped-${mark}\necho ran > ${outside}/${mark}\necho > /dev/tcp/127.0.0.1/${port}\n`;
}

function tree(root: string): readonly string[] {
  return readdirSync(root, { recursive: true }).map(String).sort();
}

describe("a malicious repository", () => {
  test("the traps work: run directly, they leave files and connect", async () => {
    await using project = await openLspProject(filesWith(trap), { sandbox: noSandbox() });
    const before = connections;
    for (const name of PROGRAMS) execFileSync(`./${name}`, { cwd: project.root });
    execFileSync(process.execPath, ["-e", 'require("plugin")'], { cwd: project.root });
    if (has("python3")) execFileSync("python3", ["-c", "import json"], { cwd: project.root });
    const marks = tree(project.root).filter((name) => name.startsWith("trapped-"));
    expect(marks).toHaveLength(PROGRAMS.length + 1);
    expect(readdirSync(outside)).toHaveLength(PROGRAMS.length + 1);
    await expect.poll(() => connections - before).toBeGreaterThan(PROGRAMS.length);
    for (const name of readdirSync(outside)) rmSync(join(outside, name));
  });

  test("without a sandbox each action asks, and nothing runs after a no", async () => {
    await using project = await openLspProject(
      { ...filesWith(trap), "node_modules/.bin/tsc": trap("tsc") },
      { path: ["bin", installed.bin], sandbox: noSandbox() },
    );
    const files = tree(project.root);
    for (const path of ["a.ts", "a.py", "a.sh", "a.go"]) {
      await using session = await project.openSession();
      const results = await Promise.all(ACTIONS.map((args) => ask(session, { ...args, path })));
      expect(results.map(({ failure }) => failure?.code)).toEqual(ACTIONS.map(() => "denied"));
    }
    expect(project.asked).toHaveLength(4 * ACTIONS.length);
    expect(tree(project.root)).toEqual(files);
    expect(readdirSync(outside)).toEqual([]);
  });

  const noGo = has("gopls") && has("go") ? [] : ["a.go"];
  for (const path of ["a.ts", "a.py", "a.sh", "a.go"])
    test.skipIf(NO_SANDBOX !== "" || noGo.includes(path))(
      `in the sandbox, ${path} and its server change nothing and reach no host${noGo.includes(path) ? ": skipped, gopls or go is not installed" : NO_SANDBOX}`,
      async () => {
        await using project = await openLspProject(filesWith(trap), { path: ["bin", installed.bin] });
        const packages = join(project.root, "node_modules");
        installPackages(packages, ["typescript"]);
        linkPrograms(join(packages, ".bin"), "..", ["typescript"]);
        const [files, before] = [tree(project.root), connections];
        await using session = await project.openSession();
        const results = await Promise.all(ACTIONS.map((args) => ask(session, { ...args, path })));
        expect(results.map(({ failure }) => failure)).toEqual(ACTIONS.map(() => undefined));
        expect(project.asked).toEqual([]);
        expect(tree(project.root)).toEqual(files);
        expect(readdirSync(outside)).toEqual([]);
        expect(connections).toBe(before);
      },
    );

  test.skipIf(NO_SANDBOX !== "")(
    `in the sandbox, a server that is a trap leaves nothing behind${NO_SANDBOX}`,
    async () => {
      const servers = ["tsc", "pyright-langserver", "bash-language-server"];
      const own = Object.fromEntries(servers.map((name) => [`node_modules/.bin/${name}`, trap(name)]));
      await using project = await openLspProject(
        { ...filesWith(trap), ...own },
        { path: ["node_modules/.bin"] },
      );
      mkdirSync(join(project.root, "empty"));
      const [files, before] = [tree(project.root), connections];
      await using session = await project.openSession();
      const paths = ["a.ts", "a.py", "a.sh"];
      const results = await Promise.all(paths.map((path) => ask(session, { action: "diagnostics", path })));
      for (const { failure } of results) expect(failure?.message).toMatch(/ended with exit code.*Read-only/s);
      expect(tree(project.root)).toEqual(files);
      expect(readdirSync(outside)).toEqual([]);
      expect(connections).toBe(before);
    },
  );
});
