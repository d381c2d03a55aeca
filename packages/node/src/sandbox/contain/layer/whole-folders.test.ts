import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type ContainedProject, canContain, containedProject, PAUSE } from "../contained-project.test.kit.ts";
import { renamedFolders } from "./whole-folders.ts";

const MOVE = "import os\nos.rename('src', 'lib')\n";
const KEBAB =
  "import os\nfor d in sorted(os.listdir('.')):\n    if os.path.isdir(d) and d[0] != '.':\n        os.rename(d, d.upper())\n";

let contained: ContainedProject;
let other: ContainedProject;

const isLong = process.env["TOOLKEEP_LONG"] !== undefined;
const MORE = [
  "git mv src/deep docs/",
  "cd src && git mv deep flat",
  "mv src lib",
  `perl -e 'rename("src", "lib") or die $!'`,
  `python3 -c "import os; os.rename('src', 'lib')"`,
  `python3 -c "from pathlib import Path; Path('docs').rename('src/docs')"`,
  "python3 move.py",
  'mkdir -p made/new && perl -e \'rename("made/new", "made/old") or die $!\'',
];

/** Everything that a command can leave different in a project. */
function tree(project: ContainedProject): string {
  return project.bare(
    "find . -path ./.git -prune -o -printf '%P %M %s %T@ %l\\n' | sed -E '/ d/s/ [0-9.]+ $//' | sort; find . -path ./.git -prune -o -type f -exec cat {} +; git status --porcelain -unormal",
  );
}

const FRESH = `rm -rf ./* .git; mkdir -p src/deep/more docs tools
for f in src/a.ts src/deep/b.ts src/deep/more/c.ts docs/one.md docs/two.md main.ts tools/x; do echo "of $f" > $f; done
chmod 755 src/a.ts; ln -s deep/b.ts src/link; printf '%s' ${quoted(MOVE)} > move.py; printf '%s' ${quoted(KEBAB)} > kebab.py
find . -exec touch -h -d '2026-01-01' {} +; git init -q; git add -A; git commit -qm one`;

describe.skipIf(!canContain)("a folder of the project that a contained command renames", () => {
  beforeAll(() => {
    contained = containedProject();
    other = containedProject();
  });
  beforeEach(() => {
    for (const one of [contained, other]) one.bare(FRESH);
  });
  afterAll(async () => {
    await contained.remove();
    await other.remove();
  });

  test.each([
    "git mv src lib",
    `python3 -c "import os; os.rename('src', 't'); os.rename('docs', 'src'); os.rename('t', 'docs')"`,
    "python3 kebab.py",
    ...(isLong ? MORE : []),
    `perl -e 'rename("src", "lib") or die $!; open F, ">>", "lib/a.ts"; print F "more"' && rm lib/deep/b.ts && touch -d 2026-02-02 lib/a.ts`,
  ])("leaves what it leaves without containment: %s", async (line) => {
    other.bare(line);
    const { exitCode, output, complaint, outcome } = await contained.run(line);
    expect([exitCode, output + complaint, outcome.held, outcome.refused]).toEqual([0, "", [], []]);
    expect(tree(contained)).toBe(tree(other));
  });

  test("is as before if the command only looks at it", async () => {
    const { exitCode, outcome } = await contained.run(
      "grep -r rename . > /dev/null; python3 -c 'print(1)' src # git mv",
    );
    expect([exitCode, outcome.kept, outcome.held]).toEqual([0, [], []]);
    expect(tree(contained)).toBe(tree(other));
  });

  test("keeps what the user does to it meanwhile", async () => {
    const { outcome } = await contained.during(`${PAUSE}; python3 move.py; : docs`, () =>
      contained.bare("echo mine > src/a.ts; echo new > src/new.ts; rm docs/one.md"),
    );
    expect(outcome.held.map(({ path }) => path)).toEqual(expect.arrayContaining(["src", "docs/one.md"]));
    const read = (path: string) => readFileSync(join(contained.project, path), "utf8");
    expect([read("src/a.ts"), read("src/new.ts")]).toEqual(["mine\n", "new\n"]);
    expect(existsSync(join(contained.project, "docs/one.md"))).toBe(false);
  });

  test.each([true, false])(
    "and that is too large for a copy is named, and nothing is half done (output known: %s)",
    async (hasOutput) => {
      contained.bare("mkdir src/many; cd src/many; seq 5001 | xargs touch");
      const line = "touch half; git mv src lib";
      const { exitCode, output, outcome } = await contained.run(line, { hasOutput });
      expect([exitCode, output]).toEqual([128, expect.stringContaining("cross-device link")]);
      expect(outcome).toMatchObject({
        ...{ kept: [], held: [] },
        refused: [`${hasOutput ? "" : "perhaps "}a rename of src (EXDEV)`],
      });
      expect(existsSync(join(contained.project, "half"))).toBe(false);
    },
  );

  test("and that nothing names is told by what the command says", async () => {
    contained.bare("printf '%s' 'x=src; y=lib; perl -e \"$z(shift, shift) or die \\$!\" $x $y' > odd");
    const { exitCode, outcome } = await contained.run(
      "touch half; z=$(printf 'ren%s' ame) sh -c 'export z; . ./odd'",
    );
    expect(exitCode).not.toBe(0);
    expect(outcome.refused).toEqual(["a rename of a folder of the project (EXDEV)"]);
    expect(existsSync(join(contained.project, "half"))).toBe(false);
  });

  test("does not show a hidden file of it", async () => {
    contained.bare("echo KEY=1 > src/.env");
    const hidden = [join(contained.project, "src/.env")];
    const before = "wc -c src/.env; (: > src/.env)";
    const line = `${before}; python3 move.py; cp -r lib c; cat c/.env lib/.env src/.env`;
    const { output } = await contained.run(line, { hidden });
    expect(output).not.toContain("KEY");
    // It is empty instead of missing, and it cannot be changed.
    expect(output).toContain("0 src/.env");
    expect(output).toMatch(/src\/\.env: (?:Permission denied|Read-only file system)/);
  });

  test("and that a link leads out of the project to is not followed", () => {
    contained.bare("mkdir ../out; ln -s ../out link");
    const { project } = contained;
    const line = "git mv link x; git mv ../out y; git mv .git z";
    const folders = { fitting: expect.not.arrayContaining(["link"]), others: [] };
    expect(renamedFolders({ line, cwd: project, project })).toEqual(folders);
  });
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
