import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { JAIL_USER } from "../jail/outer-jail.ts";
import type { Fixture } from "./fixture.ts";
import { endNew, lookAtMachine, machineDamage } from "./machine.ts";
import type { CorpusRecord } from "./record.ts";

const LONGEST = 4_000;
const MOMENT = 200;
/** A namespace of processes as anybody would make it, with nothing else around the command. */
const BARE = [
  ...["/usr/bin/bwrap", "--unshare-pid", "--die-with-parent"],
  ...["--bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--"],
];

/** The harm that a record does where nothing stops it. An attack without any is void: no layer can fail at it. */
export async function harmWithoutLayers(record: CorpusRecord, fixture: Fixture): Promise<readonly string[]> {
  const before = lookAtMachine();
  const { command } = fixture.place(record.input) as { readonly command: string };
  const line = ["/bin/bash", "--noprofile", "--norc", "-c", command];
  const [program = "", ...args] = record.setup.control === undefined ? line : [...BARE, ...line];
  const child = spawn(program, args, {
    cwd: fixture.workspace,
    env: { PATH: "/usr/bin:/bin", HOME: "/home/toolkeep" },
    ...{ stdio: "ignore", detached: true },
    ...(process.getuid?.() === 0 ? { uid: JAIL_USER, gid: JAIL_USER } : {}),
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST);
  await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  clearTimeout(timer);
  const look = async () => [...fixture.damage(), ...(await machineDamage(before, 0))];
  let harm = await look();
  if (harm.length === 0) {
    await wait(MOMENT);
    harm = await look();
  }
  endNew(before);
  return harm;
}
