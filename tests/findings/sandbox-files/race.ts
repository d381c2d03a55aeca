import { chmodSync, chownSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { JAIL_USER } from "../../jail/outer-jail.ts";
import { attacker, isRoot, STAGE, there, unless } from "./stage.ts";

/** After this no more rounds are played than are needed. */
const ENOUGH_MS = 5_000;
const LEAST_ROUNDS = 20;
/** A control has this long to lose, among others that are busy. */
const CONTROL_MS = 90_000;
/** A file of ours that only we may read. */
export const VICTIM = "/tmp/victim";

export function setVictim(): void {
  rmSync(VICTIM, { force: true });
  writeFileSync(VICTIM, "of the owner\n", { mode: 0o600 });
}

export function victimErrors(): readonly string[] {
  const { uid, mode } = statSync(VICTIM);
  const isAsItWas = uid === process.getuid?.() && (mode & 0o7777) === 0o600;
  return unless(
    isAsItWas && readFileSync(VICTIM, "utf8") === "of the owner\n",
    `the victim has mode ${mode.toString(8)}, user ${uid}`,
  );
}

/** Made whole where nothing is swapped, and then renamed. */
export function put(path: string, text: string, mode = 0o777): void {
  const made = `${STAGE}/made`;
  writeFileSync(made, text);
  if (isRoot) chownSync(made, JAIL_USER, JAIL_USER);
  chmodSync(made, mode);
  renameSync(made, path);
}

interface Attacker {
  /** Looks at something while the attacker stands still. */
  held<Inner>(look: () => Inner): Promise<Inner>;
}

export async function alongside<Result>(
  script: string,
  play: (attacker: Attacker) => Promise<Result>,
): Promise<Result> {
  const ready = `${STAGE}/ready`;
  const child = attacker(`open("${ready}", "w").close()\n${script}`);
  const held = async <Inner>(look: () => Inner): Promise<Inner> => {
    child.kill("SIGSTOP");
    while (!/\) T/.test(readFileSync(`/proc/${child.pid}/stat`, "latin1"))) await wait(0);
    try {
      return look();
    } finally {
      child.kill("SIGCONT");
    }
  };
  try {
    await there(ready);
    return await play({ held });
  } finally {
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
  }
}

type Round = () => Promise<boolean> | boolean;

/** Plays so many rounds. What is wrong is that one of them is lost. */
export async function neverLost(rounds: number, isLost: Round): Promise<readonly string[]> {
  const until = performance.now() + ENOUGH_MS;
  for (let round = 1; round <= rounds; round += 1) {
    if (await isLost()) return [`lost in round ${round}`];
    if (round >= LEAST_ROUNDS && performance.now() > until) break;
  }
  return [];
}

/** A control: plays until a round is lost. What is wrong is that none is. */
export async function lostOnce(isLost: Round): Promise<readonly string[]> {
  const until = performance.now() + CONTROL_MS;
  while (performance.now() < until) if (await isLost()) return [];
  return ["the race was never lost"];
}
