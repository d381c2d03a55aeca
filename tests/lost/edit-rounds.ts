import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { projectState } from "../../packages/node/src/sandbox/contain/layer/open-layer.ts";
import { type ContainedProject, containedProject } from "./contained-project.ts";
import { randomFrom } from "./stage.ts";

interface EditFigures {
  rounds: number;
  /** Lines that the editor saved. */
  edits: number;
  /** Of them: not in the project, but in a version that is kept and that `changes` names. */
  displaced: number;
  /** Changes of commands that came to the project, and those that are held. */
  kept: number;
  held: number;
  undone: number;
  readonly lost: string[];
}

const FILES = ["a.txt", "b.txt", "c.txt"];
const LONGEST_PAUSE_S = 0.25;

interface EditRounds {
  readonly rounds: number;
  readonly seed: number;
  /** Copies what was changed over the project, without looking: to show that edits would be lost. */
  readonly isCareless?: boolean;
  onRound?(figures: EditFigures): void;
}

/** Two contained commands and a user's editor on the same files, again and again. */
export async function editAgainAndAgain(options: EditRounds): Promise<EditFigures> {
  const { rounds, seed, isCareless = false, onRound } = options;
  const figures: EditFigures = { rounds: 0, edits: 0, displaced: 0, kept: 0, held: 0, undone: 0, lost: [] };
  const random = randomFrom(seed);
  await using project = containedProject(
    Object.fromEntries(FILES.map((name) => [name, `${name}\n`.repeat(20)])),
  );
  while (figures.rounds < rounds) {
    figures.rounds += 1;
    const number = seed * 10_000 + figures.rounds;
    const files = FILES.map((name) => join(project.path, name));
    const editing = JSON.stringify({ files, seed: number, pause: random() * LONGEST_PAUSE_S });
    const editor = project.user("/usr/bin/python3", join(import.meta.dirname, "editor.py"), editing);
    await editor.said();
    const [one, other] = [1, 2].map((at) => commandLine(at, number, random()));
    if (isCareless) await Promise.all([one, other].map((line) => carelessly(project, line ?? "")));
    else {
      const runs = await Promise.all([one, other].map((line) => project.run(line ?? "")));
      for (const { kept, held } of runs) {
        figures.kept += kept.length;
        figures.held += held.length;
      }
      if (random() < 0.5) figures.undone += await undoLast(project);
    }
    await editor.end();
    count(figures, project, editor.lines);
    onRound?.(figures);
  }
  return figures;
}

function commandLine(command: number, round: number, chance: number): string {
  const [first, second] = chance < 0.5 ? ["a.txt", "b.txt"] : ["c.txt", "a.txt"];
  return `echo command ${command} of ${round} >> ${first}; sed -i '1s/$/ ${command}/' ${second}; sleep ${(chance / 5).toFixed(3)}; echo ${round} > by-${command}.txt`;
}

async function undoLast({ past }: ContainedProject): Promise<number> {
  const now = await past();
  const last = now.commands.findLast(({ kept, isUndone }) => kept.length > 0 && !isUndone);
  if (last === undefined) return 0;
  return now.undo(last.number).then(
    () => 1,
    () => 0,
  );
}

/** A copy of the project is worked on, and copied back. */
async function carelessly(project: ContainedProject, line: string): Promise<void> {
  const copied = `copy=$(mktemp -d); cp -r . $copy; cd $copy`;
  await project.user("/bin/sh", "-c", `${copied}; ${line}; cp -f *.txt ${project.path}; rm -r $copy`).end();
}

function count(figures: EditFigures, project: ContainedProject, lines: readonly string[]): void {
  const versions = allVersions(project);
  for (const text of lines.filter((line) => line.startsWith("{"))) {
    const { path, line, how } = JSON.parse(text) as Readonly<Record<string, string>>;
    figures.edits += 1;
    const has = (file: string) =>
      readFileSync(file, "utf8")
        .split("\n")
        .includes(line ?? "");
    if (has(path ?? "")) continue;
    const kept = versions.filter(({ named }) => named.includes(basename(path ?? "")));
    if (kept.some(({ files }) => files.some(has))) figures.displaced += 1;
    else figures.lost.push(`${line}, ${how} in ${basename(path ?? "")}`);
  }
}

/** What is kept of each command, with the paths that `changes` names. */
function allVersions({ contain, path }: ContainedProject) {
  const commands = join(projectState(contain, path).folder, "commands");
  if (!existsSync(commands)) return [];
  return readdirSync(commands, { withFileTypes: true }).map(({ name }) => {
    const text = readFileSync(join(commands, name, "command.json"), "utf8");
    const { kept, held } = JSON.parse(text) as {
      readonly kept: readonly string[];
      readonly held: readonly { readonly path: string }[];
    };
    const files = ["upper", "old"].flatMap((part) =>
      readdirSync(join(commands, name, part), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(commands, name, part, entry.name)),
    );
    return { named: [...kept, ...held.map((one) => one.path)], files };
  });
}
