import { describe, expect, test } from "vitest";
import type { Effect } from "../../contract/call/effect.ts";
import type { ParsedCommand, SimpleCommand } from "../../contract/io/resolve-effects.ts";
import { commandEffects } from "./command-effects.ts";

function simple(...argv: readonly string[]): SimpleCommand {
  return { argv, redirects: [] };
}

function plain(...commands: readonly SimpleCommand[]): ParsedCommand {
  return { plain: true, commands };
}

/** The effects of one plain command, without the command itself. */
function follows(line: string): readonly string[] {
  const [first, ...rest] = commandEffects(plain(simple(...line.split(" "))), line);
  expect(first?.capability).toBe("shell.run");
  return rest.map(({ capability, target, forced }) => `${capability} ${target}${forced ? " forced" : ""}`);
}

describe("what a command line does", () => {
  test("one effect for each command, inferred from its words", () => {
    expect(commandEffects(plain(simple("frob", "-la"), simple("frob", "a b")), "")).toEqual([
      { capability: "shell.run", target: "frob -la", known: "inferred" },
      { capability: "shell.run", target: "frob 'a b'", known: "inferred" },
    ]);
  });

  test("what is redirected is read and written, except into nothing", () => {
    const redirects = [
      { access: "write", path: "/dev/null" },
      { access: "write", path: "/repo/out" },
      { access: "read", path: "in" },
    ] as const;
    const parsed: ParsedCommand = {
      plain: false,
      reason: "it redirects",
      commands: [{ argv: [], redirects }],
    };
    expect(commandEffects(parsed, "line")).toEqual([
      { capability: "fs.write", target: "/repo/out", known: "inferred" },
      { capability: "fs.read", target: "in", known: "inferred" },
      { capability: "shell.dynamic", target: "line", known: "inferred", note: "it redirects" },
    ]);
  });

  test("a line that is not plain is an effect of its own", () => {
    const reason = "the shell fills in `$` only when the line runs";
    const dynamic = { capability: "shell.dynamic", target: "$x", known: "inferred", note: reason };
    expect(commandEffects({ plain: false, reason }, "$x")).toEqual([dynamic]);
    expect(commandEffects({ plain: false, reason, commands: [simple("ls")] }, "$x")).toContainEqual(dynamic);
  });

  test.each([
    ["cat a /etc/hosts ../b", ["/etc/hosts", "../b"]],
    ["grep -rn /api/ /var/log", ["/var/log"]],
    ["grep -e x /var/log", ["/var/log"]],
    ["ls src/../..", ["src/../.."]],
    ["cat src/a.ts /dev/null", []],
    ["echo /etc/hosts", []],
  ])("%s reads outside of where it runs: %j", (line, paths) => {
    const reads = commandEffects(plain(simple(...line.split(" "))), line).filter(
      ({ capability, implied }) => capability === "fs.read" && implied === undefined,
    );
    expect(reads.map(({ target }) => target)).toEqual(paths);
  });

  test.each([
    ["cat private/x", ["private/x"]],
    ["/bin/cat private/x", ["private/x"]],
    ["cat private/* a/b*.ts priv[a]te/x", ["private", "a/b*.ts", "priv?te/x"]],
    ["grep -rn TODO src", ["src"]],
    ["grep -e. secret", ["secret"]],
    ["base64 k", ["k"]],
    ["cp k out/k2", ["k"]],
    ["dd if=k of=o", ["k"]],
    ["ls .env", []],
  ])("%s reads %j of where it runs, which what forbids it hears of", (line, paths) => {
    const reads = commandEffects(plain(simple(...line.split(" "))), line).filter(
      ({ capability, implied }) => capability === "fs.read" && implied,
    );
    expect(reads.map(({ target }) => target)).toEqual(paths);
  });

  test.each([
    ["sed -i --expression=s/a/b/ /etc/hosts", ["/etc/hosts"]],
    ["sed -i -es/a/b/ h", ["h"]],
    ["cp -t/etc a", ["/etc"]],
    ["cp --target=/etc a", ["/etc"]],
    ["cp --frob=/etc a b", ["a", "b", "/etc"]],
    ["Tee /x/f", ["/x/f"]],
    ["uniq - out", ["out"]],
    ["mv -f a b", ["b", "b/a?", "a", "b/**? of a", "b/a/**? of a"]],
    ["mv a b/", ["b/", "b/a", "a", "b/**? of a", "b/a/**? of a"]],
    ["mv a*.js b/", ["b/", "b/a*.js", "a*.js"]],
    ["cp a b c", ["c", "c/b", "c/a"]],
    ["cp x/package.json .", [".", "./package.json"]],
    ["truncate -s 0 f", ["f"]],
    ["truncate --size=0 f g", ["f", "g"]],
    ["touch -d now a b", ["a", "b"]],
    ["mkdir -p -m 755 a/b", ["a/b"]],
    ["sort a -o /etc/passwd", ["/etc/passwd"]],
    ["sort -uo out a", ["out"]],
    ["sort --outp=out a", ["out"]],
    ["install -m 644 a b", ["b", "b/a?"]],
    ["install -d a b", ["a", "b"]],
    ["find . -name x -fprint out", ["out"]],
    ["tee -a a b", ["a", "b"]],
  ])("%s writes %j", (line, paths) => {
    const writes = commandEffects(plain(simple(...line.split(" "))), line).filter(
      ({ capability }) => capability === "fs.write",
    );
    const text = ({ target, implied, entriesOf }: Effect) =>
      `${target}${implied ? "?" : ""}${entriesOf === undefined ? "" : ` of ${entriesOf}`}`;
    expect(writes.map(text)).toEqual(paths);
  });

  test("what a file is sorted into is written, and not read", () => {
    const line = "sort a -o b";
    const reads = commandEffects(plain(simple(...line.split(" "))), line).filter(
      ({ capability }) => capability === "fs.read",
    );
    expect(reads.map(({ target }) => target)).toEqual(["a"]);
  });

  test.each([
    ["rm -rf dist", ["dist"]],
    ["rm -rf *", ["."]],
    ["rm -rf dist/*", ["dist"]],
    ["rm -rf /*", ["/ forced"]],
    ["rm a*.js", ["a*.js"]],
    ["rm -rf /home/me", ["/home/me forced"]],
    ["rm -rf /home", ["/home forced"]],
    ["rm -rf /home/me/x", ["/home/me/x"]],
    ["find /home/me -type f -delete", ["/home/me forced"]],
    ["find -L src -name x -delete", ["src"]],
    ["find -delete", ["."]],
  ])("%s deletes %j", (line, paths) => {
    const parsed = { ...plain(simple(...line.split(" "))), home: "/home/me" };
    const deletes = commandEffects(parsed, line).filter(({ capability }) => capability === "fs.delete");
    expect(deletes.map(({ target, forced }) => `${target}${forced ? " forced" : ""}`)).toEqual(paths);
  });

  test("a pattern is a shell's in a plain line; in another line it may stand for any name", () => {
    const line = "rm -rf packages/*/dist";
    const commands = [simple(...line.split(" "))];
    const visible = (parsed: ParsedCommand) =>
      commandEffects(parsed, line).flatMap((one) => (one.capability === "fs.delete" ? [one.visible] : []));
    expect(visible(plain(...commands))).toEqual([true]);
    expect(visible({ plain: false, reason: "", commands })).toEqual([undefined]);
  });

  test("what is moved is gone from where it was, and that follows; what goes nowhere is deleted", () => {
    const deletes = (line: string) =>
      commandEffects(plain(simple(...line.split(" "))), line).flatMap(({ capability, target, implied }) =>
        capability === "fs.delete" ? [`${target}${implied ? "?" : ""}`] : [],
      );
    expect(deletes("mv a b")).toEqual(["a?"]);
    expect(deletes("mv a /dev/null")).toEqual(["a"]);
    expect(deletes("mv -t x a")).toEqual(["a?"]);
    expect(deletes("mv --frob x a")).toEqual(["x", "a"]);
  });

  test.each([
    ["tee src/x*.js", "which files it writes depends on the files there are"],
    ["cp src/x*.js dist", "which files it writes depends on the files there are"],
    ["sed -i s/a/b/ src/x*.js", undefined],
    ["mv a b ; cat b/x", "what it moves or links to may lead the commands after it elsewhere"],
    ["mv a . ; cat x", "what it moves or links to may lead the commands after it elsewhere"],
    [
      "ln -s .git/hooks h ; tee h/pre-commit",
      "what it moves or links to may lead the commands after it elsewhere",
    ],
    ["cp -r a b ; tee ./b/x", "what it moves or links to may lead the commands after it elsewhere"],
    ["mv a b ; cat /ws/c", "what it moves or links to may lead the commands after it elsewhere"],
    ["mv a b ; git add b", undefined],
    ["mv a b ; cat c", undefined],
    ["cp a b ; cat b", undefined],
  ])("%s is not clear: %s", (line, reason) => {
    const commands = line.split(" ; ").map((text) => {
      const argv = text.split(" ");
      const expands = argv.flatMap((word, index) => (word.includes("*") ? [index] : []));
      return expands.length === 0 ? simple(...argv) : { ...simple(...argv), expands };
    });
    const dynamic = commandEffects(plain(...commands), line).find(
      ({ capability }) => capability === "shell.dynamic",
    );
    expect(dynamic?.note).toBe(reason);
  });

  test("a filter of what it is fed follows from the command before it, only in a plain line", () => {
    const commands = [
      simple("npm", "test"),
      simple("tail", "-5"),
      simple("timeout", "5", "ls"),
      simple("ls"),
    ];
    const follow = (parsed: ParsedCommand) =>
      commandEffects(parsed, "line").flatMap(({ capability, target, implied }) =>
        implied && capability === "shell.run" ? [target] : [],
      );
    expect(follow(plain(...commands))).toEqual(["tail -5", "timeout 5 ls"]);
    expect(follow({ plain: false, reason: "x", commands })).toEqual([]);
  });

  test("to go to another folder is to look into it", () => {
    const effects = commandEffects(plain(simple("cd", "/other"), simple("ls")), "cd /other && ls");
    expect(effects).toContainEqual({ capability: "fs.read", target: "/other", known: "inferred" });
  });

  test("what only looks like a push, a publication or a deletion is none", () => {
    const line = (text: string) => commandEffects(plain(simple(...text.split(" "))), text);
    const capabilities = (text: string) =>
      line(text).flatMap(({ capability, implied }) => (implied ? [] : [capability]));
    expect(capabilities("cat alias.ts")).toEqual(["shell.run"]);
    expect(capabilities("python upload.py")).toEqual(["shell.run"]);
    expect(
      line("mv a b")
        .filter(({ capability }) => capability === "fs.delete")
        .map(({ target }) => target),
    ).toEqual(["a"]);
  });

  test("after `cd` paths lead where the commands will run; where that cannot be told, anywhere", () => {
    const targets = (...lines: string[]) =>
      commandEffects(plain(...lines.map((line) => simple(...line.split(" ")))), "line")
        .filter(({ capability }) => capability === "fs.write")
        .map(({ target }) => target);
    expect(targets("cd dist", "touch x")).toEqual(["dist/x"]);
    expect(targets("cd a/", "cd b", "touch x /y")).toEqual(["a/b/x", "/y"]);
    expect(targets("cd ..", "touch x")).toEqual(["../x"]);
    expect(targets("cd ../b", "touch x")).toEqual(["../b/x"]);
    expect(targets("cd /b", "touch x")).toEqual(["/b/x"]);
    expect(targets("cd a", "cd ..", "touch x")).toEqual(["/**"]);
    expect(targets("cd /a/../b", "touch x")).toEqual(["/**"]);
    expect(targets("pushd a", "touch x")).toEqual(["/**"]);
  });

  test("if a line continues after a `cd` that failed, its effects in the first directory apply too", () => {
    const writes = (line: string) => {
      const commands = line.split(/ (?:;|&&) /).map((text) => simple(...text.split(" ")));
      return commandEffects(plain(...commands), line)
        .filter(({ capability }) => capability === "fs.write")
        .map(({ target, implied }) => `${target}${implied ? ", implied" : ""}`);
    };
    expect(writes("cd dist && touch x")).toEqual(["dist/x"]);
    expect(writes("cd dist ; touch x")).toEqual(["dist/x", "x"]);
    const inGroup = commandEffects(plain(simple("cd", "dist"), simple("touch", "x")), "(cd dist) && touch x");
    expect(inGroup.flatMap(({ capability, target }) => (capability === "fs.write" ? [target] : []))).toEqual([
      "dist/x",
      "x",
    ]);
  });

  test("in a line that is not plain they lead to every place that its moves name if these go down, else anywhere", () => {
    const targets = (...lines: string[]) => {
      const commands = lines.map((line) => simple(...line.split(" ")));
      return commandEffects({ plain: false, reason: "a variable", commands }, "line")
        .filter(({ capability }) => capability === "fs.write")
        .map(({ target }) => target);
    };
    expect(targets("cd dist", "touch x")).toEqual(["x", "dist/x"]);
    expect(targets("cd a", "cd b/", "touch x")).toEqual(["x", "a/x", "b/x", "a/b/x"]);
    expect(targets("cd .", "touch x")).toEqual(["x"]);
    expect(targets("cd $a", "touch x")).toEqual(["**"]);
    expect(targets("cd a", "cd b", "cd c", "cd d", "touch x")).toEqual(["**"]);
    expect(targets("cd a", "cd ..", "touch x")).toEqual(["/**"]);
    expect(targets("touch x")).toEqual(["x"]);
  });

  test("in a plain line they begin in the folder that the parser found for the command", () => {
    const commands = [
      { ...simple("cd", "sub"), folder: "" },
      { ...simple("touch", "x"), folder: "sub" },
      { ...simple("touch", "y"), folder: "" },
    ];
    const effects = commandEffects(plain(...commands), "(cd sub && touch x) && touch y");
    const written = effects.filter(({ capability }) => capability === "fs.write").map(({ target }) => target);
    expect([...new Set(written)]).toEqual(["sub/x", "x", "y"]);
    expect(effects).toContainEqual(expect.objectContaining({ target: "cd -", implied: true }));
  });

  test("a wrapper in a plain line follows from what it runs, and a shell without the text that it is given", () => {
    const run = (...argv: string[]) =>
      commandEffects(plain(simple(...argv)), "line").map(({ target, implied }) => [target, implied]);
    expect(run("bash", "-c", "npm test")).toEqual([["bash -c", true]]);
    expect(run("timeout", "5", "/bin/sh", "-ec", "npm test")).toEqual([["timeout 5 /bin/sh -ec", true]]);
    expect(run("env", "CI=1", "npm", "test")).toEqual([["env CI=1 npm test", true]]);
    for (const argv of [["env"], ["bash", "a.sh"], ["bash", "a.sh", "x"], ["./env", "x"]])
      expect(run(...argv)[0]?.[1], argv.join(" ")).toBeUndefined();
    const effects = commandEffects({ plain: false, reason: "", commands: [simple("bash", "-c", "x")] }, "");
    expect(effects[0]).toMatchObject({ capability: "shell.run", target: "bash -c x", known: "inferred" });
  });

  test("a line without commands is never nothing", () => {
    expect(commandEffects(plain(), "#")).toEqual([
      { capability: "shell.dynamic", target: "#", known: "inferred" },
    ]);
  });

  test("too many commands and too long ones are refused", () => {
    const many = Array.from({ length: 65 }, () => simple("ls"));
    expect(commandEffects(plain(...many.slice(1)), "")).toHaveLength(64);
    expect(() => commandEffects(plain(...many), "")).toThrow("more than 64");
    expect(() => commandEffects(plain(simple("ls", "x".repeat(8_000))), "")).toThrow("8000");
    expect(() => commandEffects({ plain: false, reason: "" }, "x".repeat(8_001))).toThrow("8000");
    expect(() => commandEffects(plain(simple("git", "push", "o", ...Array(300).fill("x"))), "")).toThrow(
      "256",
    );
  });
});

describe("what follows from commands that are well known", () => {
  test.each([
    ["git push", ["git.push *"]],
    ["git push origin", ["git.push origin *"]],
    ["git push origin main", ["git.push origin main"]],
    ["git -C x -c a=b push origin main", ["git.push origin main"]],
    ["/usr/bin/git push -q origin main dev", ["git.push origin main", "git.push origin dev"]],
    ["git push origin HEAD:refs/heads/main", ["git.push origin main"]],
    ["git push --repo=origin", ["git.push origin *"]],
    ["git push -o ci.skip origin main", ["git.push origin main"]],
    ["git push --tags origin main", ["git.push origin *", "git.push origin main"]],
    ["git send-pack x", ["git.push *"]],
    ["git status", []],
  ])("%s: %j", (line, expected) => {
    expect(follows(line)).toEqual(expected);
  });

  test.each([
    "git push --force origin main",
    "git push -f origin main",
    "git push -uf origin main",
    "git push --force-with-lease=main origin main",
    "git push origin +main",
    "git push origin +HEAD:main",
    "git push origin :main",
    "git push --delete origin main",
    "git push -d origin main",
  ])("%s is forced", (line) => {
    expect(follows(line)).toEqual(["git.push origin main forced"]);
  });

  test.each([
    "git push --forc origin main",
    "git push -qo x origin main",
    "git push --rep x origin main",
    "git push --recurse-submodules check origin main",
    "git -c alias.p=push p origin main",
    "git subtree push --prefix x origin main",
  ])("%s may push anything", (line) => {
    expect(follows(line).some((effect) => /^git\.push \*/.test(effect))).toBe(true);
  });

  test("mirroring forces whatever there is", () => {
    expect(follows("git push --mirror origin")).toEqual(["git.push origin * forced"]);
    expect(follows("git push origin main +dev")).toEqual([
      "git.push origin main",
      "git.push origin dev forced",
    ]);
  });

  test.each([
    ["git commit -m x", ["git.commit *"]],
    ["git commit --amend --no-edit", ["git.commit * forced"]],
    ["git commit --am", ["git.commit * forced"]],
    ["npm publish", ["package.publish *"]],
    ["npm --tag x publ", ["package.publish *"]],
    ["pnpm --filter x publish", ["package.publish *"]],
    ["yarn npm publish", ["package.publish *"]],
    ["cargo publish", ["package.publish *"]],
    ["npm test", []],
  ])("%s: %j", (line, expected) => {
    expect(follows(line)).toEqual(expected);
  });
});

test.each([
  ["sed -E -e s/x/y/ -e /^,*$/d data.csv", []],
  ["sed -ne /a/,/b/p /etc/hosts", ["/etc/hosts"]],
  ["grep -ie /home/a /var/log/x", ["/var/log/x"]],
  ["grep --regexp /a/b notes.md", []],
  // Files, whatever they look like.
  ["grep -f /etc/words notes.md", ["/etc/words"]],
  ["grep -fe /etc/hosts", ["/etc/hosts"]],
  ["grep -- -e /etc/hosts", ["/etc/hosts"]],
  ["grep -e /etc/hosts /etc/hosts", ["/etc/hosts"]],
  ["grep -e -e /etc/hosts", ["/etc/hosts"]],
  ["grep -f -e /etc/hosts", ["/etc/hosts"]],
  ["rg -g x -e y /etc/hosts", ["/etc/hosts"]],
  ["sed -ie s/a/b/ /etc/hosts", ["/etc/hosts"]],
])("an expression is no file: %s reads %j", (line, outside) => {
  const effects = commandEffects(plain(simple(...line.split(" "))), line);
  const reads = effects.filter(({ capability, implied }) => capability === "fs.read" && implied !== true);
  expect(reads.map(({ target }) => target)).toEqual(outside);
});
