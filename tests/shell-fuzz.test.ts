import { ToolFailure } from "@toolkeep/core";
import type { SimpleCommand } from "@toolkeep/core/ports";
import { parseCommand } from "@toolkeep/node/internal";
import { describe, expect, test } from "vitest";
import { isBareWords } from "../packages/node/src/commands/plain/bare-words.ts";
import { HOME, missingForJail, runInJail } from "./shell-fuzz/bash-jail.ts";
import { fuzzReader, type Reader, type ReportedCommand } from "./shell-fuzz/fuzz-reader.ts";
import { fuzzedLine } from "./shell-fuzz/mutate-line.ts";
import { Random } from "./shell-fuzz/random.ts";

const missing = missingForJail();
const runs = Number(process.env["TOOLKEEP_RUNS"] ?? 2_000);
const seed = Number(process.env["TOOLKEEP_SEED"] ?? Date.now() % 1_000_000);

function* fuzzedLines(): Iterable<string> {
  const random = new Random(seed);
  for (let count = 0; count < runs; count += 1) yield fuzzedLine(random);
}

/** Lines of the letters of bare words, with words among them that mean something to bash where they stand. */
function* bareLines(count: number): Iterable<string> {
  const random = new Random(seed);
  const telling =
    "if then else fi case esac for in do done while until select function time coproc git ls a b eval echo - -- -x +e".split(
      " ",
    );
  const letters = [..."abzAZ019_./@:,+-"];
  const word = () =>
    random.chance(0.4)
      ? random.pick(telling)
      : Array.from({ length: 1 + random.below(5) }, () => random.pick(letters)).join("");
  for (let made = 0; made < count; made += 1) {
    const first = random.chance(0.3) ? word() : random.pick(["git", "ls", "a", "b-c", "echo", "X_1"]);
    yield [first, ...Array.from({ length: random.below(6) }, word)].join(" ");
  }
}

/** What our own tools may run without anybody being asked. */
const ours: Reader = async (line) => {
  try {
    const parsed = await parseCommand(line, { home: HOME, shell: "bash" });
    return parsed.plain ? parsed.commands.map(reportedOf) : undefined;
  } catch (error) {
    if (ToolFailure.isInstance(error)) return undefined;
    throw error;
  }
};

function reportedOf({ argv, redirects }: SimpleCommand): ReportedCommand {
  return { argv, files: redirects.map(({ access, path }) => `${access} ${path}`) };
}

/** Takes every line for plain, and spaces for all there is to know. */
const naive: Reader = async (line) =>
  line.split(/\s*(?:&&|\|\||[;|\n])\s*/).map((part) => ({ argv: part.split(" ") }));

describe.skipIf(missing !== undefined)(
  `held against bash${missing ? ` (skipped: no ${missing})` : ""}`,
  () => {
    test("bash runs what we say it runs, to the last letter of every word", async () => {
      const report = await fuzzReader(ours, fuzzedLines());
      const { unsound, ...figures } = report;
      console.log(`Seed ${seed}: ${JSON.stringify({ ...figures, unsound: unsound.length })}`);
      expect(unsound.slice(0, 5)).toEqual([]);
      expect(report.accepted).toBeGreaterThan(report.generated / 10);
      expect(report.exact).toBeGreaterThan(report.accepted / 10);
      expect(report.executed).toBeGreaterThan(report.accepted / 2);
    });

    test("bash splits bare words at the blanks, so two readings of them are enough", async () => {
      const bare: Reader = async (line) => (isBareWords(line) ? [{ argv: line.split(" ") }] : undefined);
      const report = await fuzzReader(bare, bareLines(runs / 4));
      expect(report.unsound.slice(0, 5)).toEqual([]);
      expect(report.accepted).toBeGreaterThan(report.generated / 2);
      expect(report.executed).toBe(report.accepted);
    });

    const TRAPS = [
      "echo 'a b'",
      "echo a\\ b",
      'echo "a;b"',
      "echo $(ls)",
      "echo $HOME",
      "echo ~",
      "echo a=~",
      "echo {a,b}",
      "ls # rm",
      "ls > out",
      "A=1 ls",
      "ls & rm",
      "l''s",
      "echo a\\\nb",
      "echo  a",
    ];

    test("a reader that only splits on spaces is caught in every trap", async () => {
      const { unsound, accepted } = await fuzzReader(naive, TRAPS);
      expect(accepted).toBe(TRAPS.length);
      expect(unsound.map(({ line }) => line)).toEqual(TRAPS);
    });

    test("ours takes none of them for what it is not", async () => {
      expect((await fuzzReader(ours, TRAPS)).unsound).toEqual([]);
    });

    test("a word more, a word less, a command more and another order are each caught", async () => {
      const saying =
        (...commands: readonly (readonly string[])[]): Reader =>
        async () =>
          commands.map((argv) => ({ argv }));
      const isCaught = async (reader: Reader) =>
        (await fuzzReader(reader, ["a b c; d"])).unsound.length === 1;
      expect(await isCaught(saying(["a", "b", "c"], ["d"]))).toBe(false);
      expect(await isCaught(saying(["a", "b"], ["d"]))).toBe(true);
      expect(await isCaught(saying(["a", "b", "c", ""], ["d"]))).toBe(true);
      expect(await isCaught(saying(["a", "b", "c"]))).toBe(true);
      expect(await isCaught(saying(["d"], ["a", "b", "c"]))).toBe(true);
    });
  },
);

describe.skipIf(missing !== undefined)("the jail sees whatever bash would run", () => {
  test.each([
    [
      "builtins",
      "cd b; eval c; exec d; . e; exit 1; printf h",
      ["cd b", "eval c", "exec d", ". e", "exit 1", "printf h"],
    ],
    ["programs with a slash", "./_stubs/run.sh a; /_stubs/ls 'b c'", ["./_stubs/run.sh a", "/_stubs/ls b c"]],
    ["what is in a substitution", "x $(y z)", ["y z", "x"]],
    ["unknown names", "no-such-program -x", ["no-such-program -x"]],
  ])("%s", async (_what, line, expected) => {
    const [executed] = await runInJail([{ line, status: 0 }]);
    expect(executed?.commands.map((argv) => argv.join(" "))).toEqual(expected);
  });

  test("words are kept apart, whatever is in them", async () => {
    const [executed] = await runInJail([{ line: "l's' '' 'a\nb' \"c  d\" 'é'", status: 0 }]);
    expect(executed?.commands).toEqual([["ls", "", "a\nb", "c  d", "é"]]);
  });

  test("the status of commands decides what comes after them", async () => {
    const line = "a && b || c; d";
    const [well, badly] = await runInJail([
      { line, status: 0 },
      { line, status: 1 },
    ]);
    expect(well?.commands).toEqual([["a"], ["b"], ["d"]]);
    expect(badly?.commands).toEqual([["a"], ["c"], ["d"]]);
  });

  test("what commands read and write is seen, with what runs in the background", async () => {
    const lines = [
      "a > _files/a 2>&1",
      "{ a; } < '_files/c d'",
      "a >> /ws/_files/b.ts & b",
      "a 2>&1 > _files/a",
    ];
    const executed = await runInJail(lines.map((line) => ({ line, status: 0 as const })));
    expect(executed.map(({ files }) => files)).toEqual([
      ["write /ws/_files/a", "write /ws/_files/a"],
      ["read /ws/_files/c d"],
      ["write /ws/_files/b.ts"],
      ["write /ws/_files/a"],
    ]);
  });

  test("`cat` prints what it is fed", async () => {
    const line = "a \"$(cat <<'EOF'\nit's $x\nEOF\n)\"";
    const [executed] = await runInJail([{ line, status: 0 }]);
    expect(executed?.commands).toEqual([["cat"], ["a", "it's $x"]]);
  });
});
