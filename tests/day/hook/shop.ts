import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { removeTree } from "../../../packages/node/src/owned-files/remove-tree.ts";
import { ROOT } from "../../../scripts/root.ts";
import { mustRun } from "../../../scripts/run-program.ts";
import { OWN_COMMAND } from "../../cli/cli-bench.ts";
import { reachableFolder } from "../../tools/reachable-folder.ts";
import type { ClientCall } from "../step.ts";

/** A user's home with a project in it, in which Toolkeep is installed. */
export interface Shop {
  readonly home: string;
  readonly project: string;
  /** The environment of the client, and of the hooks that it starts. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): void;
}

const MANIFEST = {
  name: "shop",
  private: true,
  type: "module",
  scripts: {
    test: "node --test",
    build: "node scripts/build.js",
    lint: "eslint .",
    dev: "node src/server.js",
  },
};

const FILES: Readonly<Record<string, string>> = {
  "package.json": `${JSON.stringify(MANIFEST, undefined, 2).slice(0, -2)},\n  "dependencies": {}\n}\n`,
  "README.md": "# shop\n",
  "tsconfig.json": "{}\n",
  "src/cart.js": "export const total = (items) => items.reduce((sum, price) => sum + price, 0); // TODO\n",
  "src/config.py": "DB_PASSWORD = 'not a real one'\n",
  "customers.csv": "name,iban\n",
  "src/old.js": "export {};\n",
  "src/a.ipynb": '{ "cells": [] }\n',
  "src/server.js": "export {};\n",
  "test/cart.test.js": 'import { total } from "../src/cart.js";\ntotal([]);\n',
  "scripts/build.js": "export {};\n",
  "scripts/gen.js": "export {};\n",
  "scripts/deploy.sh": "#!/bin/sh\n",
  "app/page.jsx": "export {};\n",
  "components/list.jsx": "export {};\n",
  ".github/workflows/ci.yml": "on: push\n",
  ".env.example": "TOKEN=\n",
  ".gitignore": "node_modules/\ndist/\n.env\n",
  Makefile: "all:\n\ttrue\n",
  "Cargo.toml": '[package]\nname = "shop"\n',
  "pyproject.toml": '[project]\nname = "shop"\n',
};

/** Git does not have them. */
const UNTRACKED: Readonly<Record<string, string>> = {
  ".env": "TOKEN=not-a-real-one\n",
  "dist/cart.js": "export {};\n",
  "node_modules/left-pad/index.js": "module.exports = () => {};\n",
};

const PROGRAMS = ["eslint", "tsc", "vitest", "prettier"];

export const IN_HOME: Readonly<Record<string, string>> = {
  ".gitconfig": "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n",
  ".bashrc": "# bash\n",
  ".ssh/id_rsa": "not a real key\n",
  ".aws/credentials": "not real ones\n",
  ".claude/CLAUDE.md": "# Ada\n",
  "notes/salary.txt": "not real\n",
  "other/README.md": "# other\n",
};

interface ShopOptions {
  readonly isForeign?: boolean;
  readonly flags?: readonly string[];
  /** A folder in which it is made. Default: one that is not temporary, about which there are rules of their own. */
  readonly folder?: string;
  /** More files of the project, and other texts of them. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Makes the project with git, and installs Toolkeep in it as its user does, unless it is a foreign one. */
export async function openShop(
  client: string,
  { isForeign = false, flags = [], folder, files = {} }: ShopOptions = {},
): Promise<Shop> {
  const base = folder === undefined ? dayFolder() : realpathSync(mkdtempSync(join(folder, "day-")));
  const home = join(base, "ada");
  const project = join(home, "shop");
  writeAll(home, IN_HOME);
  writeAll(project, { ...FILES, ...files });
  const environment = { PATH: process.env["PATH"] ?? "", HOME: home, LANG: "C.UTF-8" };
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: project, env: environment, stdio: "ignore" });
  git("init", "-q", ".");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  git("remote", "add", "origin", "https://github.com/ada/shop.git");
  writeAll(project, UNTRACKED);
  for (const name of PROGRAMS) {
    writeAll(project, { [`node_modules/.bin/${name}`]: "#!/bin/sh\n" });
    chmodSync(join(project, "node_modules/.bin", name), 0o755);
  }
  const servers = join(project, client === "cursor" ? ".cursor/mcp.json" : ".mcp.json");
  writeAll(dirname(servers), { [servers.slice(dirname(servers).length + 1)]: serversText(project) });
  const [program, main] = OWN_COMMAND;
  // There is no `install` for Gemini CLI: its hook needs what any other has made.
  const installed = client === "gemini-cli" ? "claude-code" : client;
  if (!isForeign)
    await mustRun([program, main, "init", installed, "--yes", ...flags], {
      cwd: project,
      env: environment,
    });
  return { home, project, environment, remove: () => removeTree(base) };
}

function serversText(project: string): string {
  const main = createRequire(import.meta.url).resolve(
    "@modelcontextprotocol/server-filesystem/dist/index.js",
  );
  const filesystem = { command: process.execPath, args: [main, project] };
  return `${JSON.stringify({ mcpServers: { filesystem } }, undefined, 2)}\n`;
}

/** A new folder that is not temporary, about which there are rules of their own. */
export function dayFolder(): string {
  mkdirSync(join(ROOT, ".cache"), { recursive: true });
  return reachableFolder("day-", join(ROOT, ".cache"));
}

export function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** The call with the folders of this shop. */
export function placed(call: ClientCall, { project, home }: Shop): ClientCall {
  const text = JSON.stringify(call).replaceAll("{project}", project).replaceAll("{home}", home);
  return JSON.parse(text) as ClientCall;
}

/** The program reads the user's folders from the environment. */
export async function inHome<Result>(
  { environment }: Pick<Shop, "environment">,
  play: () => Promise<Result>,
): Promise<Result> {
  const before = { ...process.env };
  for (const name of Object.keys(process.env)) if (name !== "PATH") delete process.env[name];
  Object.assign(process.env, environment);
  try {
    return await play();
  } finally {
    Object.assign(process.env, before);
  }
}
