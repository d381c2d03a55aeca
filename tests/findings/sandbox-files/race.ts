import { chmodSync, chownSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { JAIL_USER } from "../../jail/outer-jail.ts";
import { attacker, isRoot, STAGE, unless } from "./stage.ts";

const LONGEST_MS = 5_000;
/** A file of ours that only we may read. */
export const VICTIM = "/tmp/victim";

export function setVictim(): void {
  rmSync(VICTIM, { force: true });
  writeFileSync(VICTIM, "of the owner\n", { mode: 0o600 });
}

export function victimFaults(): readonly string[] {
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

export async function beside<Result>(
  script: string,
  play: (attacker: Attacker) => Promise<Result>,
): Promise<Result> {
  const child = attacker(script);
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
    await wait(150);
    return await play({ held });
  } finally {
    child.kill("SIGKILL");
    await new Promise((resolve) => child.once("close", resolve));
  }
}

/** How many of so many rounds went wrong; stops at the first. */
export async function lost(rounds: number, play: () => Promise<boolean> | boolean): Promise<number> {
  const until = performance.now() + LONGEST_MS;
  for (let round = 1; round <= rounds && performance.now() < until; round += 1)
    if (await play()) return round;
  return 0;
}
