import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OVERVIEW } from "../../packages/cli/src/commands/overview.ts";
import { overviewText } from "../../packages/cli/src/commands/overview-text.ts";
import { buildProgram } from "../../packages/cli/src/program.ts";
import { OLD_NAMES } from "../../packages/cli/src/terminal/old-names.ts";
import { type CliBench, cliBench } from "./cli-bench.ts";

let bench: CliBench;
beforeAll(() => {
  bench = cliBench();
});
afterAll(() => bench.remove());

const isInstalled = (shell: string) => spawnSync(shell, ["--version"]).status === 0;

describe.runIf(isInstalled("bash"))("toolkeep completion bash", () => {
  let script: string;
  beforeAll(async () => {
    const { code, stdout, stderr } = await bench.run(["completion", "bash"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    script = join(bench.base, "toolkeep.bash");
    writeFileSync(script, stdout);
  });

  /** What bash offers for the last word of a line. */
  function offered(...words: readonly string[]): readonly string[] {
    const ask = `. "$0"; complete -p toolkeep >/dev/null || exit 9
COMP_WORDS=(toolkeep "$@"); COMP_CWORD=$#; _toolkeep; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const text = execFileSync("bash", ["--norc", "-uc", ask, script, ...words], {
      ...{ cwd: bench.project, encoding: "utf8" },
    });
    return text.split("\n").filter((line) => line !== "");
  }

  test("offers the commands, those of a command, options, choices and files", () => {
    expect(offered("")).toEqual(OVERVIEW.map(({ name }) => name));
    expect(offered("se")).toEqual(["sessions", "servers"]);
    expect(offered("approvals", "re")).toEqual(["revoke", "reject"]);
    expect(offered("sessions", "")).toEqual([
      "list",
      "show",
      "export",
      "replay",
      "verify",
      "checkpoint",
      "sweep",
      "erase",
    ]);
    expect(offered("--json", "policy", "ex")).toEqual(["explain"]);
    expect(offered("log", "--fo")).toEqual(["--follow"]);
    expect(offered("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(offered("init", "claude")).toEqual(["claude-code"]);
    expect(offered("log", "--store", "s")).toEqual(["src"]);
    // The value of an option is no command.
    expect(offered("--cwd", "policy", "lo")).toEqual(["log"]);
    expect(offered("log", "--since", "")).toEqual([]);
  });
});

test.each(["zsh", "fish"].filter(isInstalled))("%s reads its script", async (shell) => {
  const { stdout } = await bench.run(["completion", shell]);
  const isRead = (name: string, text: string) => {
    const script = join(bench.base, name);
    writeFileSync(script, text);
    return spawnSync(shell, ["-n", script]).status === 0;
  };
  expect(isRead(`toolkeep.${shell}`, stdout)).toBe(true);
  expect(isRead(`broken.${shell}`, `${stdout}\nif true; then (\n`)).toBe(false);
});

test("a shell without a script is an error", async () => {
  expect(await bench.run(["completion", "tcsh"])).toMatchObject({
    ...{ code: 2, stdout: "" },
    stderr: expect.stringContaining("Use bash, zsh, fish."),
  });
});

describe("the help", () => {
  const built = (...argv: readonly string[]) => buildProgram(argv, () => {});

  test("is the same whether the commands are loaded or not, and groups all of them", async () => {
    const [listed, whole] = [await built("--help"), await built("completion")];
    expect(listed.helpInformation()).toBe(whole.helpInformation());
    for (const columns of [200, 80, 50]) {
      let text = "";
      const writeOut = (part: string) => {
        text += part;
      };
      listed.configureOutput({ writeOut, getOutHelpWidth: () => columns }).outputHelp();
      expect(overviewText(columns)).toBe(text);
    }
    const now = whole.commands.map((one) => one.name()).filter((name) => !Object.hasOwn(OLD_NAMES, name));
    expect(now).toEqual(OVERVIEW.map(({ name }) => name));
    expect(listed.helpInformation()).not.toMatch(/^Commands:/m);
  });

  test("of every command has an example and the address of the documentation", async () => {
    const { commands } = await built("completion");
    for (const command of commands.filter((one) => !Object.hasOwn(OLD_NAMES, one.name()))) {
      let text = "";
      command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
      expect.soft(text).toMatch(new RegExp(`^ {2}(npx )?toolkeep ${command.name()}\\b`, "m"));
      expect.soft(text).toMatch(/^Documentation:\s+https:\/\//m);
    }
  });
});
