import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { putFile, temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { TooMany } from "../../files/entries.ts";
import { parseCommand } from "../parse-command.ts";
import { commandsOnDisk } from "./commands-on-disk.ts";
import { safeForms } from "./safe-forms.ts";
import { WHOLE_TREE } from "./trees/tree-reads.ts";
import { findsBeneath } from "./trees/walk-tree.ts";

let base: string;
let root: string;
beforeEach(() => {
  base = temporaryFolder();
  root = join(base, "ws");
  for (const path of ["src/a.ts", "src/b.ts", "config/app.yml", "config/secrets.yml", ".env"]) put(path);
});

const put = (path: string, text = "x", mode = 0o644) => putFile(join(root, path), text, mode);

async function look(line: string, isProtected: (path: string) => boolean = () => false) {
  const { commands = [] } = await parseCommand(line, { home: "/home/ada" });
  return commandsOnDisk({ line, commands, folder: root }, { roots: [root], isProtected });
}

/** What it reads, by the path from the root; what needs permission of its own has a `!`. */
async function reads(line: string, isProtected?: (path: string) => boolean): Promise<readonly string[]> {
  const found = (await look(line, isProtected)).filter(({ capability }) => capability === "fs.read");
  return found.map(({ target, implied }) => `${implied ? "" : "!"}${target.slice(base.length + 1)}`);
}

describe("what a command line reads on this disk", () => {
  test("patterns are the files that they match, as far as policy has a rule about them", async () => {
    expect(await reads("cat config/*")).toEqual(["ws/config/secrets.yml"]);
    expect(await reads("cat config/secrets.y[mn]l src/?.ts")).toEqual(["ws/config/secrets.yml"]);
    expect(await reads("cat */secrets.yml")).toEqual(["ws/config/secrets.yml"]);
    expect(await reads("cat src/*.ts", (path) => path.endsWith("b.ts"))).toEqual(["ws/src/b.ts"]);
    expect(await reads("cat src/*.ts")).toEqual([]);
    expect(await reads("cat 'config/*' \"config/*\"")).toEqual([]);
    expect(await reads("ls config/*")).toEqual([]);
    expect(await reads("cat nothing/*")).toEqual([]);
    expect(await reads("cat src/a.ts/x src/a.ts/*")).toEqual([]);
    expect(await reads("cat config/secrets.ym[[:alpha:]]")).toEqual(["ws/config/secrets.yml"]);
  });

  test("names that are fed to a program are those of files that it reads, and it takes none apart", async () => {
    const notes = async (line: string) =>
      (await look(line)).flatMap(({ capability, note }) => (capability === "shell.dynamic" ? [note] : []));
    expect(await reads("find config | xargs cat")).toContain("ws/config/secrets.yml");
    expect(await reads("find config -name '*.ts' | xargs cat")).toEqual(["ws/config"]);
    put("src/x .env");
    put("docs/-i");
    expect(await notes("find src | xargs cat")).toEqual([expect.stringContaining('"src/x .env"')]);
    expect(await notes("rg -l x src | xargs cat")).toEqual([expect.stringContaining("xargs -0")]);
    expect(await notes("find docs -print0 | xargs -0 cat")).toEqual([expect.stringContaining('"docs/-i"')]);
    for (const line of [
      "find src -print0 | xargs -0 cat",
      "find src -name '*.ts' | xargs cat",
      "rg -l x src",
    ])
      expect(await notes(line), line).toEqual([]);
  });

  test("a star means no name that begins with a dot", async () => {
    expect(await reads("cat ./*")).toEqual([]);
    expect(await reads("cat ./.e*")).toEqual(["ws/.env"]);
  });

  test("what a pattern matches behind a link, and names with a dot that a shell may find, are changed too", async () => {
    put("packages/a/dist/x");
    put(".hidden/dist/x");
    symlinkSync("../.hidden", join(root, "packages/linked"));
    const changes = async (line: string) =>
      (await look(line))
        .filter(({ capability }) => /^fs\.(?:write|delete)$/.test(capability))
        .map(({ capability, target, implied }) => [capability, target.slice(root.length + 1), implied]);
    expect(await changes("rm -rf packages/*/dist")).toEqual([["fs.delete", "packages/linked/dist", true]]);
    expect(await changes("rm -rf ./*/dist")).toEqual([["fs.delete", ".hidden/dist", true]]);
    expect(await changes("sed -i s/x/y/ ./?hidden/dist/x")).toEqual([["fs.write", ".hidden/dist/x", true]]);
    expect(await changes("cat ./*/dist/x packages/*/dist/x")).toEqual([]);
    expect(await changes("rm -rf packages/a/d*")).toEqual([]);
    put("zuul.d/dist");
    expect(await changes("rm -rf zuu*/dist")).toEqual([["fs.delete", "zuul.d/dist", true]]);
  });

  test("a search of a tree reads what is in it, and not what it excludes", async () => {
    const both = ["ws/.env", "ws/config/secrets.yml"];
    const whole = async (line: string) => (await reads(line)).filter((path) => path.includes("."));
    for (const line of ["grep -r x .", "grep -rn x", "egrep --recursive x .", "rg -uuu x", "rg --hidden x"])
      expect(await whole(line), line).toEqual(both);
    // The last one applies, and what is named is read whatever the input of the command is.
    for (const line of ["grep -r --exclude=.env --include=.env x .", "rg -g '!/.env' -g '.env' x"])
      expect(await whole(line), line).toContain("ws/.env");
    expect(await whole("ls | rg x .")).toEqual(["ws/config/secrets.yml"]);
    for (const line of ["false || rg -uuu x", "ls | rg x; rg -uuu x", "! rg -uuu x", "ls | cat || rg -uuu x"])
      expect((await whole(line)).toSorted(), line).toEqual(both);
    expect(await whole("rg x")).toEqual(["ws/config/secrets.yml"]);
    expect(await whole("rg -g '.env' x")).toEqual(["ws/.env"]);
    for (const line of [
      "grep x src/a.ts",
      "grep -r x src",
      "grep -r x . --include='*.ts'",
      "grep -r --exclude=.env --exclude=secrets.yml x .",
      "grep -r --exclude-dir=config --exclude=.env x .",
      "rg x -g '!/config/secrets.yml'",
      "git log | rg x",
    ])
      expect(await whole(line), line).toEqual([]);
  });

  test("a folder that is copied or moved takes its content with it", async () => {
    for (const line of ["cp -r config other", "mv config other", "mv -t src config", "cp -a config/. other"])
      expect(await reads(line), line).toContain("ws/config/secrets.yml");
    expect(await reads("mv src other")).toEqual(["ws/src"]);
  });

  test("ripgrep passes over what git ignores, where there is a repository", async () => {
    put(".gitignore", "secrets.yml\n");
    expect(await reads("rg x")).toContain("ws/config/secrets.yml");
    mkdirSync(join(root, ".git"));
    expect(await reads("rg x")).not.toContain("ws/config/secrets.yml");
    expect(await reads("rg --no-ignore x")).toContain("ws/config/secrets.yml");
    expect(await reads("grep -r x .")).toContain("ws/config/secrets.yml");
    put(".gitignore", "*.yml\n!secrets.yml\n");
    expect(await reads("rg x")).toContain("ws/config/secrets.yml");
  });

  test("settings of npm that hold no secret are searched like any file", async () => {
    put(".npmrc", "registry=https://registry.example/\nsave-exact=true\n");
    expect(await reads("grep -r x .")).not.toContain("ws/.npmrc");
    put(".npmrc", "registry=https://registry.example/\n//registry.example/:_authToken=abc\n");
    expect(await reads("grep -r x .")).toContain("ws/.npmrc");
  });

  test("what others publish contains no secrets of the user, unless a rule says so", async () => {
    put("node_modules/x/test/key.pem");
    expect(await reads("grep -r x node_modules")).toEqual(["ws/node_modules"]);
    expect(await reads("grep -r x node_modules", (path) => path.endsWith(".pem"))).toHaveLength(2);
  });

  test("a link that leads out is a read of its own, at any position of the path", async () => {
    mkdirSync(join(base, "home/notes"), { recursive: true });
    writeFileSync(join(base, "home/notes/diary.txt"), "x");
    symlinkSync("../home", join(root, "assets"));
    symlinkSync("assets/notes", join(root, "through"));
    symlinkSync("round", join(root, "round"));
    expect(await reads("cat assets/notes/diary.txt")).toEqual(["!home/notes/diary.txt"]);
    expect(await reads("cat through/*.txt")).toEqual(["!home/notes/diary.txt"]);
    expect(await reads("ls assets")).toEqual(["!home"]);
    expect(await reads("sort --key=1 --output=assets/x src/a.ts")).toEqual(["!home/x"]);
    expect(await reads("grep -R x src")).toEqual(["ws/src"]);
    expect(await reads("grep -R x .")).toContain("!home");
    expect(await reads("grep -r x .")).not.toContain("!home");
    for (const line of ["ls -LR", "find -L . -name x", "find . -follow", "tree -l", "du -aL ."])
      expect(await reads(line), line).toEqual(["ws", "!home", "!home/notes"]);
    for (const line of ["ls -R", "ls -L", "find . -name x", "tree", "du -a ."])
      expect(await reads(line), line).toEqual([]);
    expect(await reads("cat round")).toEqual([]);
    symlinkSync("/dev/null", join(root, "src/sink"));
    for (const line of ["cat src/sin?", "grep -R x src"])
      expect(await look(line), line).toContainEqual(expect.objectContaining({ target: "/dev/null" }));
    rmSync(join(root, "src/sink"));
    symlinkSync(".", join(root, "!"));
    expect(await reads("rg x '!/config/secrets.yml'")).toContain("ws/config/secrets.yml");
  });

  test("more than can be named is not plain, so that nothing hides behind what is harmless", async () => {
    const folders = Array.from({ length: 70 }, (_, at) => `many/${at}`);
    for (const folder of folders) mkdirSync(join(root, folder), { recursive: true });
    const found = await look(`grep -r x ${folders.join(" ")} config`);
    expect(found.at(-1)).toMatchObject({ capability: "shell.dynamic" });
  });

  test("a tree is looked through up to a bound", () => {
    const inTree = { folder: root, roots: [root], isProtected: () => false };
    const read = { ...WHOLE_TREE, folders: ["."] };
    expect(() => findsBeneath(root, read, { ...inTree, budget: { left: 6 } })).toThrow(TooMany);
    expect(findsBeneath(root, read, { ...inTree, budget: { left: 7 } }).files).toHaveLength(2);
  });
});

describe("the forms that a refused line may take", () => {
  const forms = async (line: string) => {
    const { commands = [] } = await parseCommand(line, { home: "/home/ada" });
    const files = (await look(line)).flatMap(({ capability, target }) =>
      capability === "fs.read" ? [target] : [],
    );
    return safeForms({ line, commands, folder: root }, files);
  };

  test("leave out what is protected and keep the rest of the line", async () => {
    expect(await forms("cat config/* | head -5")).toEqual(["cat config/app.yml | head -5"]);
    expect(await forms("grep -rn 'a b' . | head")).toContain(
      "grep --exclude=.env --exclude=secrets.yml -rn 'a b' . | head",
    );
    expect(await forms("rg -uu x && ls")).toContain("rg x -g '!/config/secrets.yml' && ls");
    expect(await forms("cat .env")).toEqual([]);
    // What is computed, or written somewhere, would not be the same.
    expect(await forms('grep -r "$HOME" .')).toEqual([]);
    expect(await forms("cat config/* > out.txt")).toEqual([]);
    expect(await forms("cat config/secrets.y*")).toEqual([]);
  });
});

test("commands run in a folder that the line makes", async () => {
  symlinkSync(join(base, "other"), join(root, "out"));
  expect(await reads("mkdir -p new/deep && (cd new/deep && cat ../../out/x)")).toEqual(["!other/x"]);
  expect(await reads("mkdir -p new && cd new && cat ../config/*")).toEqual(["ws/config/secrets.yml"]);
  for (const line of [
    "mkdir -m 0 new; cd new; cat out/x",
    "mkdir src/a.ts; cd src/a.ts; cat out/x",
    "mkdir /proc/new; cd /proc/new; cat out/x",
    "cd new; cat out/x",
  ])
    expect(await reads(line), line).toContain("!other/x");
});
