import { readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { projectPast } from "../../packages/node/src/sandbox/contain/commit/past-commands.ts";
import { type Killed, type Killing, killedWork } from "./killed-process.ts";
import { openStage, type Stage, type Template, treeOf, type Work } from "./stage.ts";
import { holdAll, workOn } from "./work-on-project.ts";

/** Where a project is between what it was and what it becomes. */
type Where = "before" | "after" | "between";

export interface KillOutcome {
  readonly killed: Killed;
  /** As the killed process left it. */
  readonly left: Where;
  /** Once the next process has looked. */
  readonly recovered: Where;
  /** What is wrong with it. */
  readonly errors: readonly string[];
}

/** What became of content that was not on the disk when the machine went down. */
export type Lost = "nothing" | "empty" | "half";

export interface KilledRound extends Killing {
  readonly work: string;
  readonly template: Template;
  readonly folder: string;
  readonly does: Work["does"];
  readonly lost?: Lost;
  /** Default: true. */
  readonly isRecovered?: boolean;
}

/** Kills a process at its work, and looks at what the next one makes of it. */
export async function killedRound(round: KilledRound): Promise<KillOutcome> {
  const { work, template, does, lost = "nothing", isRecovered = true } = round;
  const stage = await preparedStage(template, round.folder, does);
  const [from, to] = does === "undo" ? [template.after, template.before] : [template.before, template.after];
  const where = (): Where => {
    const tree = treeOf(stage.project);
    return tree === from ? "before" : tree === to ? "after" : "between";
  };
  const next = () => projectPast(stage.contain, stage.project);
  let early: Promise<unknown> | undefined;
  const onStopped = () => {
    early = next();
  };
  const killed = await killedWork(work, stage, { ...round, onStopped });
  await early;
  if (lost !== "nothing") loseContent(round.folder, killed.unsynced, lost);
  const left = where();
  if (!isRecovered) return { killed, left, recovered: left, errors: [] };
  const errors: string[] = [];
  const past = await next().catch((error) => void errors.push(`recovery: ${error}`));
  const recovered = where();
  if (recovered === "between") errors.push(`half-done: ${differences(treeOf(stage.project), from, to)}`);
  else if (past !== undefined) errors.push(...(await thenErrors(stage, { past, recovered, template })));
  return { killed, left, recovered, errors };
}

type Past = Awaited<ReturnType<typeof projectPast>>;

/** What the user can do afterwards: see the command, and go back to before it. */
async function thenErrors(
  { does, project }: Stage,
  { past, recovered, template }: { past: Past; recovered: Where; template: Template },
): Promise<readonly string[]> {
  const done = past.commands.filter(({ isUndone, kept }) => !isUndone && kept.length > 0);
  const isIn = (recovered === "after") === (does !== "undo");
  if (!isIn) return done.length === 0 ? [] : ["a command is listed as kept that is not in the project"];
  if (done.length !== 1) return ["the command is not listed as kept"];
  const undone = await past.undo(done[0]?.number ?? 0).then(
    () => undefined,
    (error) => `undo: ${error}`,
  );
  if (undone !== undefined) return [undone];
  return treeOf(project) === template.before ? [] : ["the undo after it does not give back all"];
}

async function preparedStage(template: Template, folder: string, does: Work["does"]): Promise<Stage> {
  const stage = openStage(template, folder, does);
  if (does === "undo") await workOn({ ...stage, does: "commit" });
  if (does === "keep") await holdAll(stage);
  return stage;
}

function loseContent(folder: string, inodes: readonly number[], lost: Lost): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !inodes.includes(statSync(path).ino)) continue;
    truncateSync(path, lost === "empty" ? 0 : Math.floor(statSync(path).size / 2));
  }
}

function differences(tree: string, from: string, to: string): string {
  const [now, one, other] = [tree, from, to].map((text) => text.split("\n"));
  const strange = now?.filter((line) => !one?.includes(line) && !other?.includes(line)) ?? [];
  const behind = now?.filter((line) => !other?.includes(line)) ?? [];
  return `neither: ${strange.join(", ") || "nothing"}; still before: ${behind.slice(0, 8).join(", ")}`;
}
