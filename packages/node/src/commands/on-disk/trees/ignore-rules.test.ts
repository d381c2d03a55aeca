import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { putFile, temporaryFolder } from "../../../../../../tests/temporary-folder.ts";
import { treeReadOf, WHOLE_TREE } from "./tree-reads.ts";
import { findsBeneath } from "./walk-tree.ts";

let root: string;
beforeEach(() => {
  root = temporaryFolder();
});

const put = (path: string, text = "x") => putFile(join(root, path), text);

const budget = () => ({ left: 100_000 });

/** All files that a search of these args reads, as far as we know. */
function ours(...argv: readonly string[]): readonly string[] {
  const read = treeReadOf(["rg", ...argv, "x"]);
  if (read === undefined) throw new Error("It reads no tree.");
  const look = { folder: root, roots: [root], isProtected: () => true, budget: budget() };
  return findsBeneath(root, read, look)
    .files.map((file) => relative(root, file))
    .filter((file) => !file.startsWith(".git/"));
}

/** The files that ripgrep searches. */
function ripgreps(...argv: readonly string[]): readonly string[] {
  const args = ["--no-config", "--files", "--null", ...argv, "-g", "!.git"];
  try {
    const text = execFileSync(rgPath, argv.includes("-g") ? args.slice(0, -2) : args, {
      cwd: root,
      encoding: "utf8",
    });
    return text.split("\0").filter((path) => path !== "" && !path.startsWith(".git/"));
  } catch {
    return [];
  }
}

const FILES = [".env", "a.ts", "b/.env", "b/c.ts", "b/d/.env.local", "b/d/e.log", "x/node_modules/p/i.js"];

function makeTree(): void {
  for (const file of FILES) put(file);
}

test("what ripgrep searches is among what we find, whatever the ignore files say", () => {
  const line = fc.oneof(
    fc.constantFrom(...".env .env* !.env !.env.local b/ /b b/* b/** **/d node_modules !b/".split(" ")),
    fc.constantFrom(..."* !* *.log !*.log !{.env,x} !.e[n]v !.en? \\!x !**/.env b/d/ [bx]".split(" "), "# x"),
    fc.stringMatching(/^!?\/?[.benvd*?/]{1,8}$/),
  );
  const file = fc.array(line, { maxLength: 4 });
  const place = fc.constantFrom(".gitignore", "b/.gitignore", ".ignore", "b/.rgignore", "b/d/.gitignore");
  fc.assert(
    fc.property(fc.array(fc.tuple(place, file), { maxLength: 3 }), fc.boolean(), (files, isRepository) => {
      rmSync(root, { recursive: true });
      mkdirSync(root);
      makeTree();
      if (isRepository) mkdirSync(join(root, ".git"));
      for (const [path, lines] of files) put(path, lines.join("\n"));
      for (const argv of [[], ["--hidden"], ["-g", "*.ts"], ["-g", ".env*"], ["--no-ignore"], ["-uuu"]])
        expect(ours(...argv), argv.join(" ")).toEqual(expect.arrayContaining([...ripgreps(...argv)]));
    }),
    { numRuns: Number(process.env["TOOLKEEP_RUNS"] ?? 10) },
  );
});

test("plain rules are followed exactly", () => {
  makeTree();
  mkdirSync(join(root, ".git"));
  put(".gitignore", "node_modules/\n.env*\n!.env.example\n*.log\n/b/d\n");
  put(".env.example");
  const found = ["--hidden"];
  expect(ours(...found).toSorted()).toEqual(ripgreps(...found).toSorted());
  expect(ours(...found).toSorted()).toEqual([".env.example", ".gitignore", "a.ts", "b/c.ts"]);
});

test("a hidden file that an ignore file includes again is searched, as ripgrep does", () => {
  makeTree();
  put(".ignore", "!.env\n");
  expect(ripgreps()).toContain(".env");
  expect(ours()).toContain(".env");
});

test("an ignore file that cannot be read for certain may include anything again", () => {
  makeTree();
  mkdirSync(join(root, ".git"));
  put(".gitignore", ".env\n");
  expect(ours("--hidden")).not.toContain("b/.env");
  put("b/.gitignore", `${"#".repeat(1_100_000)}\n!.env\n`);
  expect(ours("--hidden")).toContain("b/.env");
  put("b/.gitignore", `${"# x\n".repeat(3_000)}!.env\n`);
  expect(ours("--hidden")).toContain("b/.env");
  rmSync(join(root, "b/.gitignore"));
  put("other", "!.env\n");
  symlinkSync("../other", join(root, "b/.gitignore"));
  expect(ours("--hidden")).toContain("b/.env");
});

test("a folder is read anew once a name in it changes, and is not counted twice otherwise", () => {
  makeTree();
  const look = () =>
    findsBeneath(
      root,
      { ...WHOLE_TREE, folders: ["."] },
      {
        folder: root,
        roots: [root],
        isProtected: (path) => path.endsWith(".pem"),
        budget: budget(),
      },
    ).files.filter((file) => file.endsWith(".pem"));
  expect(look()).toEqual([]);
  put("b/key.pem");
  expect(look()).toEqual([join(root, "b/key.pem")]);
  rmSync(join(root, "b/key.pem"));
  expect(look()).toEqual([]);
});
