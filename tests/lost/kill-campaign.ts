import { mkdirSync, mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleWork } from "./killed-process.ts";
import { type KilledRound, type KillOutcome, killedRound, type Lost } from "./kills.ts";
import { makeTemplate, type Random, randomFrom, removeStage, type Template, type Work } from "./stage.ts";

/** What a campaign of kills came to. */
interface KillFigures {
  /** Kills of a process that had not finished its work. */
  kills: number;
  /** Of them: before a call of the kernel, at any time, and while a call continued in another process. */
  atCalls: number;
  atTimes: number;
  alone: number;
  /** With content lost that was not on the disk. */
  withLoss: number;
  /** The project was neither as before nor as after, until the next process looked. */
  between: number;
  /** What is wrong, each with what leads to it again. */
  readonly errors: string[];
}

interface KillCampaign {
  readonly kills: number;
  readonly seed: number;
  /** Kills with the same project. */
  readonly perProject?: number;
  onKill?(figures: KillFigures): void;
}

const WORK: readonly Work["does"][] = ["commit", "undo", "commit", "keep"];
const LOST: readonly Lost[] = ["nothing", "empty", "half"];
const ALONE_S = 0.3;

/** Kills processes that commit, keep and undo changes of all kinds, and lets the next process recover. */
export async function killAgainAndAgain(options: KillCampaign): Promise<KillFigures> {
  const { kills, seed, perProject = 40, onKill } = options;
  const figures: KillFigures = {
    ...{ kills: 0, atCalls: 0, atTimes: 0, alone: 0, withLoss: 0, between: 0, errors: [] },
  };
  using base = mkdtempDisposableSync(join(tmpdir(), "toolkeep-lost-"));
  const work = await bundleWork(base.path);
  const random = randomFrom(seed);
  let project: Project | undefined;
  for (let number = 0; figures.kills < kills; number += 1) {
    if (project === undefined || number % perProject === 0)
      project = await openProject({ base: base.path, work, random, isWhole: number === 0 });
    const does = WORK[number % WORK.length] as Work["does"];
    const round = { ...project, does, ...chosen(random, project.calls[does]) };
    const folder = join(base.path, "round");
    mkdirSync(folder);
    const outcome = await killedRound({ ...round, folder });
    removeStage(folder);
    count(figures, round, outcome);
    onKill?.(figures);
  }
  return figures;
}

interface Project {
  readonly work: string;
  readonly template: Template;
  /** What the kernel is asked to do for each work, when it is not killed. */
  readonly calls: Readonly<Record<Work["does"], readonly string[]>>;
  readonly ms: number;
}

async function openProject({
  base,
  work,
  random,
  isWhole,
}: {
  readonly base: string;
  readonly work: string;
  readonly random: Random;
  readonly isWhole: boolean;
}): Promise<Project> {
  const at = join(base, "template");
  removeStage(at);
  const template = makeTemplate(at, random, isWhole ? undefined : 7);
  let ms = 0;
  const callsOf = async (does: Work["does"]) => {
    const folder = join(base, "round");
    mkdirSync(folder);
    const started = performance.now();
    const { killed, recovered, errors } = await killedRound({ work, template, folder, does });
    ms = performance.now() - started;
    removeStage(folder);
    if (recovered !== "after" || errors.length > 0)
      throw new Error(`Without a kill, ${does} of ${template.line} leaves ${recovered}: ${errors}`);
    return killed.calls;
  };
  const calls = { commit: await callsOf("commit"), keep: await callsOf("keep"), undo: await callsOf("undo") };
  return { work, template, calls, ms };
}

/** Where it is killed, and what becomes of content that was not on the disk. */
function chosen(random: Random, calls: readonly string[]) {
  const kind = random();
  const at = 1 + Math.floor(random() * calls.length);
  if (kind < 0.15) return { afterMs: 40 + random() * 300 };
  const byOther = calls.flatMap((call, index) => (call.startsWith("renameat2") ? [index + 1] : []));
  if (kind < 0.25 && byOther.length > 0)
    return { at: byOther[Math.floor(random() * byOther.length)] ?? at, aloneFor: ALONE_S };
  return { at, lost: LOST[Math.floor(random() * LOST.length)] ?? "nothing" };
}

function count(
  figures: KillFigures,
  round: Omit<KilledRound, "folder"> & Project,
  { killed, left, errors }: KillOutcome,
): void {
  const { does, at, afterMs, aloneFor, lost = "nothing", template } = round;
  for (const error of errors)
    figures.errors.push(
      `${does} ${at === undefined ? `after ${afterMs} ms` : `before call ${at}, ${killed.calls.at(-1)}`}${aloneFor === undefined ? "" : ", whose process continues"}, losing ${lost}, of: ${template.line}: ${error}`,
    );
  if (killed.code === 0) return;
  figures.kills += 1;
  if (afterMs !== undefined) figures.atTimes += 1;
  else if (aloneFor !== undefined) figures.alone += 1;
  else figures.atCalls += 1;
  if (lost !== "nothing" && killed.unsynced.length > 0) figures.withLoss += 1;
  if (left === "between") figures.between += 1;
}

/** The same kills where the journal is not on the disk before the first step: some projects must be left half-done. */
export async function killsWithoutJournal(seed: number, kills: number): Promise<number> {
  using base = mkdtempDisposableSync(join(tmpdir(), "toolkeep-lost-"));
  const work = await bundleWork(base.path);
  const random = randomFrom(seed);
  const project = await openProject({ base: base.path, work, random, isWhole: true });
  const steps = project.calls.commit.flatMap((call, at) => (call.startsWith("renameat2") ? [at + 1] : []));
  let halfDone = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const folder = join(base.path, "round");
    mkdirSync(folder);
    const at = steps[1 + Math.floor(random() * (steps.length - 1))] ?? 1;
    const control = { at, lost: "empty", unsynced: "plan.json" } as const;
    const { recovered } = await killedRound({ ...project, ...control, does: "commit", folder });
    removeStage(folder);
    if (recovered === "between") halfDone += 1;
  }
  return halfDone;
}
