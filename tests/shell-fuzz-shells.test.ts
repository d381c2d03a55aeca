import { ToolFailure } from "@toolkeep/core";
import { parseCommand } from "@toolkeep/node/internal";
import { describe, expect, test } from "vitest";
import { HOME } from "./shell-fuzz/bash-jail.ts";
import type { Reader } from "./shell-fuzz/fuzz-reader.ts";
import { fuzzShells } from "./shell-fuzz/fuzz-shells.ts";
import { Random } from "./shell-fuzz/random.ts";
import { shellLine } from "./shell-fuzz/shell-lines.ts";
import { missingForShell, runInShell, SHELLS } from "./shell-fuzz/shells-jail.ts";

const runs = Number(process.env["TOOLKEEP_RUNS"] ?? 300);
const seed = Number(process.env["TOOLKEEP_SEED"] ?? Date.now() % 1_000_000);
const shells = Object.keys(SHELLS).filter((shell) => missingForShell(shell) === undefined);
const missing = ["bash", "zsh", "dash", "ksh", "fish"].filter((shell) => !shells.includes(shell));

/** What a hook may allow without anybody being asked. */
const inEveryShell = readerFor({});
/** The same for bash alone: another shell must be able to tell the difference. */
const inBash = readerFor({ shell: "bash" });

function readerFor(options: { readonly shell?: "bash" }): Reader {
  return async (line) => {
    try {
      const parsed = await parseCommand(line, { home: HOME, ...options });
      if (!parsed.plain) return undefined;
      return parsed.commands.map(({ argv, redirects }) => ({
        argv,
        files: redirects.map(({ access, path }) => `${access} ${path}`),
      }));
    } catch (error) {
      if (ToolFailure.isInstance(error)) return undefined;
      throw error;
    }
  };
}

function* shellLines(): Iterable<string> {
  const random = new Random(seed);
  for (let count = 0; count < runs; count += 1) yield shellLine(random);
}

/** Lines that are plain in bash, and the shell that executes what bash takes for a word, or runs something else. */
const DIFFERENT: readonly (readonly [shell: string, line: string])[] = [
  ["zsh", "printf %d 'PATH[$(mark)]'"],
  ["zsh", "[ -t 'path[$(mark)1]' ]"],
  ["zsh", "exit 'path[$(mark)1]'"],
  ["zsh", "kill 'path[$(mark)1]'; return 'path[`mark`]'"],
  ["zsh", "cat =ls"],
  ["zsh", "ls ''~/x"],
  ["zsh", 'ls "$PWD:h"'],
  ["zsh", 'for f in a; do cat "$fé/x"; done'],
  ["zsh", "noglob mark x"],
  ["zsh", "for path in _stubs; do ./_stubs/run.sh a; tool; done"],
  ["fish", "echo '\\' '(mark)' '\\'"],
  ["fish", "ls 'a\\\\' '; mark #'"],
  ["fish", "ls >| mark"],
  ["fish", "ls a[ x ]"],
  ["fish", 'ls "\\`x\\`"'],
  ["fish", "ls %self"],
  ["fish", "ls a&cat b"],
  ["fish", "and ls x"],
  ["fish", 'ls "$HOME[1]"'],
  ["ksh", 'ls "$(cat <<"EOF"\n$x `y` \\\nEOF\n)"\tif"$(cat <<"EOF"\na\nEOF\n)"'],
  ["dash", 'ls "a $(cat <<"EOF"\né 漢\nE漢\nEOF\n) b"'],
  ["dash", "ls \"$(cat <<'EOF'\nEO’s\nEOF\n)\""],
];

describe.skipIf(missing.length > 0)(
  `held against every shell that a client may start${missing.length > 0 ? ` (skipped: no ${missing.join(", ")})` : ""}`,
  () => {
    test("each of the shells starts the programs that we say, with exactly these words, or none", async () => {
      const { unsound, ...figures } = await fuzzShells(inEveryShell, shellLines(), shells);
      console.log(`Seed ${seed}: ${JSON.stringify({ ...figures, unsound: unsound.length })}`);
      expect(unsound.slice(0, 5)).toEqual([]);
      expect(figures.accepted).toBeGreaterThan(figures.generated / 10);
      for (const shell of shells) expect(figures.started[shell], shell).toBeGreaterThan(figures.accepted / 3);
    });

    test("readings of bash alone are caught where another shell reads otherwise", async () => {
      const names = [...new Set(DIFFERENT.map(([shell]) => shell))];
      const { unsound } = await fuzzShells(
        inBash,
        DIFFERENT.map(([, line]) => line),
        names,
      );
      const caught = unsound.map(({ shell, line }) => `${shell}: ${line}`);
      expect(caught).toEqual(expect.arrayContaining(DIFFERENT.map(([shell, line]) => `${shell}: ${line}`)));
    });

    test("a line that ends its process group ends no other", async () => {
      const started = await runInShell("bash", ["kill 0", "kill -9 2; ls a"], ["ls"]);
      expect(started.map(({ commands }) => commands)).toEqual([[], [["ls", "a"]]]);
    });

    test("none of these lines is plain where the shell is unknown", async () => {
      const readings = await Promise.all(DIFFERENT.map(([, line]) => inEveryShell(line)));
      expect(readings.filter((reading) => reading !== undefined)).toEqual([]);
    });
  },
);
