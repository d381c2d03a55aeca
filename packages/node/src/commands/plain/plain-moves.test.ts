import { ToolFailure } from "@toolkeep/core";
import { joinCommand } from "@toolkeep/core/internal";
import type { ParsedCommand } from "@toolkeep/core/ports";
import { describe, expect, test } from "vitest";
import { parseCommand } from "../parse-command.ts";

function parsed(line: string): Promise<ParsedCommand> {
  return parseCommand(line, { home: "/home/me", folder: "/proj", shell: "bash" });
}

async function commands(line: string): Promise<readonly string[]> {
  return ((await parsed(line)).commands ?? []).map(({ argv, redirects }) =>
    [joinCommand(argv), ...redirects.map(({ access, path }) => `{${access} ${path}}`)].join(" ").trim(),
  );
}

async function reasonOf(line: string): Promise<string> {
  try {
    const outcome = await parsed(line);
    return outcome.plain ? "plain" : outcome.reason;
  } catch (error) {
    if (ToolFailure.isInstance(error)) return error.message;
    throw error;
  }
}

describe("where commands run", () => {
  test.each([
    ["cd a && ls && cd b && ls", ["", "a", "a", "a/b"]],
    ["cd a && ls && cd .. && ls", ["", "a", "a", ""]],
    ["cd a/b && ls && cd ../.. && git status", ["", "a/b", "a/b", ""]],
    ["cd a && ls && cd - && ls", ["", "a", "a", ""]],
    ["cd . && git status && cd ./a/ && git log", ["", "", "", "a"]],
    ["(cd a && ls) && ls", ["", "a", ""]],
    ["ls; (cd a; ls); ls", ["", "", "a", ""]],
    ["cd a && ls & ls", ["", "a", ""]],
    ["cd a && { cd b && ls; }", ["", "a", "a/b"]],
    ["cd a; ls | head", ["", "a", "a"]],
    ["cd /x/ && ls && cd b && ls", ["", "/x", "/x", "/x/b"]],
    ["cd a && bash -c 'cd b && ls' && ls", ["", "a", "a", "a/b", "a"]],
    ["ls && cd a && ls && cd ..", ["", "", "a", "a"]],
    ["ls; cd -", ["", ""]],
    ["cd a || ls", ["", ""]],
    ["cd . && cd ./ || ls; ls", ["", "", "", ""]],
    ["ls && cd a || ls", ["", "", ""]],
    ["cd a || exit 1; cd b || exit; ls", ["", "", "a", "a", "a/b"]],
    ["cd a || exit 1 && ls", ["", "", "a"]],
    ["cd a && cd b || exit 1\nls", ["", "a", "", "a/b"]],
    ["cd a || { echo no; exit 1; }; ls", ["", "", "", "a"]],
    ["(cd a || exit 1; ls); ls", ["", "", "a", ""]],
    ["for d in a b; do (cd x/$d && ls); done", ["", "", "x/a", "x/b"]],
    ["while true; do (cd a && ls); done", ["", "", "a"]],
    ["cd ..", [""]],
  ])("%s", async (line, folders) => {
    expect(await reasonOf(line)).toBe("plain");
    expect(((await parsed(line)).commands ?? []).map(({ folder }) => folder)).toEqual(folders);
  });

  test.each([
    ...["cd .. && ls", "cd - && ls", "cd a/../.. && ls", "cd a/.. && ls", "cd a && cd ../.. && ls"],
    ...["cd a; cd b; ls", "cd a; cd .. && ls", "cd a\ncd - && ls", "cd /x && cd .. && ls"],
    ...["ls && cd a; ls", "ls || cd a; ls", "cd a || ls; ls", "! cd a && ls", "time cd a && ls"],
    ...["cd a || exit 1 | ls", "cd a || exit 1 2; ls", "cd a || (exit 1); ls", "cd a || ! exit 1; ls"],
    ...["cd a || { ls && exit 1; }; ls", "cd a || { exit 1; ls; }; ls", "cd a || cd b; ls"],
    ...["cd a && cd .. && cd b || ls", "cd a || if ls; then exit 1; fi; ls"],
    ...["cd a | ls", "cd a && cd .. | ls", "ls | cd a && ls", "{ cd a; }; ls", "{ ls; } && cd a; ls"],
    ...["if ls; then cd a; fi; ls", "if cd a; then ls; fi", "cd a && { ls && cd b; } && ls"],
    "cd a && { cd b; } > x",
  ])("is not certain in %s", async (line) => {
    expect(await reasonOf(line)).toBe("`cd` may not be where the commands after it run");
  });

  test.each(["cd && ls", "cd -P a && ls", "cd a b", "cd a*", "for d in a b; do cd $d; done"])(
    "%s is not plain",
    async (line) => {
      expect(await reasonOf(line)).toMatch(/`cd`/);
    },
  );

  test("is missing where no `cd` is", async () => {
    expect((await parsed("ls; (ls)")).commands?.map(({ folder }) => folder)).toEqual([undefined, undefined]);
    expect((await parsed("bash -c 'cd a && ls'; ls")).commands?.map(({ folder }) => folder)).toEqual([
      ...[undefined, "", "a", undefined],
    ]);
  });
});

describe("wrappers that are read through", () => {
  test.each([
    ["sh -c 'git commit -m x && git push'", ["git commit -m x", "git push"]],
    ["bash -euo pipefail -c 'rm x'", ["rm x"]],
    ["bash -lc 'ls > out'", ["ls {write out}"]],
    ["timeout 5 /usr/bin/bash -c \"bash -c 'rm x'\"", ["rm x"]],
    ["nice -n 5 timeout -k 1 5 nohup rm x", ["timeout -k 1 5 nohup rm x", "nohup rm x", "rm x"]],
    ["/usr/bin/env CI=1 npm test", ["npm test"]],
    ["command ls", ["ls"]],
    ["stdbuf -oL npm test | tee x", ["npm test", "tee x"]],
  ])("%s", async (line, expected) => {
    expect(await reasonOf(line)).toBe("plain");
    expect(await commands(line)).toEqual(expect.arrayContaining([...expected]));
  });

  test.each([
    ...["bash -c 'rm $x'", 'bash -c "rm $x"', "bash -c ls x", "bash -ic ls", "bash -c l*", "bash -c ''"],
    ...['for f in a b; do bash -c "rm $f"; done', "bash -c 'eval x'", "bash -c 'sudo ls'", 'bash -c "\'"'],
    ...["echo 1 | bash -c 'python3'", "bash -c python3 < x", "bash -c 'cat' <<< x", "bash --rcfile x -c ls"],
    ...[
      "env LD_PRELOAD=x ls",
      "env -i ls",
      "env -C / ls",
      "command cd a",
      "timeout 5 cd a",
      "command eval ls",
    ],
    ...["nohup --help", "stdbuf -x ls", "./bash -c ls", 'bash -c "node -e 1"', "PATH=x bash -c ls"],
  ])("not in %s", async (line) => {
    expect(await reasonOf(line)).not.toBe("plain");
  });
});
