import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { putFile, temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { searchPath } from "./search-path.ts";

let base: string;
let home: string;
let root: string;

beforeEach(() => {
  base = temporaryFolder();
  chmodSync(base, 0o755);
  home = join(base, "home/me");
  root = join(home, "project");
  mkdirSync(root, { recursive: true });
});

const file = (path: string, text = "") => putFile(join(home, path), text, 0o755);

function search(path: readonly string[], values: Readonly<Record<string, string>> = {}) {
  const notes: string[] = [];
  const found = searchPath({
    ...{ path: path.join(":"), home, values, roots: [root], hidden: [join(home, ".local/share/toolkeep")] },
    // Where the Node of these tests is depends on the checkout.
    onNote: (note) => note.startsWith(dirname(process.execPath)) || notes.push(note),
  });
  const inHome = (paths: readonly string[]) =>
    paths.filter((one) => one.startsWith(base)).map((one) => one.replace(`${home}/`, "~/").replace(base, ""));
  return {
    order: inHome(found.value.split(":")),
    all: found.value.split(":"),
    programs: inHome(found.programs),
    hidden: inHome(found.hidden),
    notes,
  };
}

describe("programs of version managers", () => {
  test.each([
    [
      "nvm",
      ".nvm/versions/node/v24.1.0/bin/node",
      ["lib/node_modules/npm/x", "include/x"],
      "~/.nvm/versions/node/v24.1.0",
    ],
    [
      "fnm",
      ".local/share/fnm/node-versions/v24/installation/bin/node",
      ["lib/x"],
      "~/.local/share/fnm/node-versions/v24/installation",
    ],
    ["mise", ".local/share/mise/installs/node/24/bin/node", ["lib/x"], "~/.local/share/mise"],
    ["pyenv", ".pyenv/versions/3.12/bin/python", ["lib/x"], "~/.pyenv"],
    ["sdkman", ".sdkman/candidates/java/21/bin/java", ["lib/x"], "~/.sdkman/candidates/java/21"],
    [
      "Homebrew",
      "linuxbrew/.linuxbrew/bin/gh",
      ["Cellar/gh/1/bin/gh", "opt/x", "var/db"],
      "~/linuxbrew/.linuxbrew",
    ],
  ])("%s: the whole installation is mounted", (_name, program, others, mounted) => {
    const folder = dirname(file(program));
    for (const other of others) file(join(dirname(program), "..", other));
    const { order, programs, notes } = search([folder]);
    expect({ order, programs, notes }).toEqual({
      order: [folder.replace(home, "~")],
      programs: [mounted],
      notes: [],
    });
  });

  test.each([
    [
      "asdf",
      ".asdf/shims/node",
      [".asdf/installs/nodejs/24/bin/node", ".tool-versions"],
      ["~/.asdf", "~/.tool-versions"],
    ],
    ["pyenv", ".pyenv/shims/python", [".pyenv/versions/3.12/bin/python"], ["~/.pyenv"]],
    ["volta", ".volta/bin/node", [".volta/tools/image/node/24/bin/node"], ["~/.volta"]],
    [
      "mise",
      ".local/share/mise/shims/node",
      [".local/share/mise/installs/x", ".config/mise/config.toml"],
      ["~/.config/mise/config.toml", "~/.local/share/mise"],
    ],
    [
      "rustup",
      ".cargo/bin/cargo",
      [
        ".rustup/toolchains/stable/bin/cargo",
        ".rustup/settings.toml",
        ".cargo/registry/x",
        ".cargo/credentials.toml",
        ".cargo/config.toml",
      ],
      ["~/.cargo/bin", "~/.cargo/registry", "~/.rustup/settings.toml", "~/.rustup/toolchains"],
    ],
    [
      "pipx",
      ".local/bin/black",
      [
        ".local/share/pipx/venvs/black/bin/black",
        ".local/share/keyrings/login.keyring",
        ".local/state/x",
        ".local/lib/x",
      ],
      ["~/.local/bin", "~/.local/lib", "~/.local/share/pipx"],
    ],
  ])("%s: shims have their data, and no credentials", (_name, shim, data, mounted) => {
    const folder = dirname(file(shim));
    for (const one of data) file(one);
    const { programs, notes, hidden } = search([folder]);
    expect({ programs: programs.toSorted(), notes, hidden }).toEqual({
      programs: mounted,
      notes: [],
      hidden: [],
    });
  });

  test("folders that variables name are used, and settings of mise with values in them are not", () => {
    const folder = dirname(file("tools/cargo/bin/cargo"));
    file("tools/rustup/toolchains/x");
    const values = { CARGO_HOME: join(home, "tools/cargo"), RUSTUP_HOME: join(home, "tools/rustup") };
    expect(search([folder], values).programs).toEqual(["~/tools/cargo/bin", "~/tools/rustup/toolchains"]);
    file(".config/mise/config.toml", '[tools]\nnode = "24"\n[env]\nTOKEN = "secret"\n');
    const shims = dirname(file(".local/share/mise/shims/node"));
    expect(search([shims]).programs).toEqual(["~/.local/share/mise"]);
  });

  test("a link is followed once: the folder it leads to is what is mounted and searched", () => {
    file(".local/share/fnm/v24/lib/x");
    const folder = dirname(file(".local/share/fnm/v24/bin/node"));
    mkdirSync(join(base, "run"));
    symlinkSync(folder, join(base, "run/multishell"));
    expect(search([join(base, "run/multishell")])).toMatchObject({
      order: ["~/.local/share/fnm/v24/bin"],
      programs: ["~/.local/share/fnm/v24"],
    });
  });

  test("secrets next to the programs are hidden", () => {
    const folder = dirname(file(".nvm/versions/node/v24/bin/node"));
    for (const name of ["lib/x", "etc/npmrc", "bin/.env", "bin/.npmrc", "ssl/cacert.pem", "ssl/own.key"])
      file(join(".nvm/versions/node/v24", name));
    const prefix = "~/.nvm/versions/node/v24";
    expect(search([folder]).hidden.toSorted()).toEqual(
      ["bin/.env", "bin/.npmrc", "etc/npmrc", "ssl/own.key"].map((name) => `${prefix}/${name}`),
    );
  });
});

describe("attacks by way of the search path", () => {
  test("secrets deep beneath a folder of the user's own are hidden", () => {
    file("tools/run");
    file("tools/deep/er/id_rsa");
    file("tools/a/b/c/.env");
    expect(search([join(home, "tools")]).hidden.toSorted()).toEqual([
      "~/tools/a/b/c/.env",
      "~/tools/deep/er/id_rsa",
    ]);
  });

  test("a home of someone else is no installation, though it has programs and libraries", () => {
    for (const name of ["bin/x", "lib/y", ".config/app/session.db", ".mozilla/p/logins.json"])
      file(`../other/${name}`);
    expect(search([join(base, "home/other/bin")]).programs).toEqual(["/home/other/bin"]);
  });

  test("the data of servers that Homebrew keeps is hidden", () => {
    for (const name of ["bin/x", "lib/y", "Cellar/x/1/bin/x", "var/postgresql@16/base/1"])
      file(`../brew/${name}`);
    const { programs, hidden } = search([join(base, "home/brew/bin")]);
    expect(programs).toEqual(["/home/brew"]);
    expect(hidden).toEqual(["/home/brew/var"]);
  });

  test("a folder of the workspace comes after all others: a model can write to it", () => {
    const own = dirname(file("project/node_modules/.bin/ls"));
    const linked = join(home, "bin");
    symlinkSync(own, linked);
    const tools = dirname(file("tools/ls"));
    const { order, all, programs } = search([own, linked, tools, "/usr/bin"]);
    expect(order).toEqual(["~/tools", "~/project/node_modules/.bin"]);
    expect(all.at(-1)).toBe(own);
    expect(programs).toEqual(["~/tools"]);
  });

  function linkToKeys(): string {
    symlinkSync(dirname(file(".ssh/id_rsa")), join(home, "bin"));
    return join(home, "bin");
  }

  function openFolder(inside: string): string {
    file(`open/${inside}/x`);
    chmodSync(join(home, "open"), 0o777);
    return join(home, "open", inside);
  }

  test.each([
    ["a link to keys", linkToKeys, /may hold secrets/],
    ["a folder of settings", () => dirname(file(".config/x/bin/y")), /may hold secrets/],
    ["the home folder", () => home, /contains the home folder/],
    ["a folder around it", () => dirname(home), /contains the home folder/],
    ["what Toolkeep keeps", () => dirname(file(".local/share/toolkeep/bin/x")), /belongs to Toolkeep/],
    ["a folder that others can write to", () => openFolder("."), /other users can write/],
    ["one in such a folder", () => openFolder("bin"), /other users can write/],
  ])("%s is left out, with the reason", (_what, make, reason) => {
    const { order, programs, notes } = search([make()]);
    expect({ order, programs }).toEqual({ order: [], programs: [] });
    expect(notes).toEqual([expect.stringMatching(reason)]);
  });

  test("relative entries, empty ones, files and missing folders are none", () => {
    const { order, notes } = search([
      "",
      ".",
      "bin",
      "../bin",
      file("a-file"),
      join(home, "none"),
      "node_modules/.bin",
    ]);
    expect({ order, notes }).toEqual({ order: [], notes: [] });
  });
});
