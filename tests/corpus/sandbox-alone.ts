import type { Sandbox } from "@toolkeep/core/ports";
import { spawnCommand } from "../../packages/node/src/processes/spawn-command.ts";
import { CANARY, type Fixture } from "./fixture.ts";
import { lookAtMachine, machineDamage } from "./machine.ts";
import type { CorpusRecord } from "./record.ts";
import type { World } from "./world.ts";

const LONGEST = 4_000;
const MOST_SEEN = 1_000_000;

/** What the sandbox alone does not stop: runs the command in it, unless it would destroy what it reaches. */
export async function sandboxAlone(
  record: CorpusRecord,
  fixture: Fixture,
  { sandbox, world }: { readonly sandbox: Sandbox; readonly world: World },
): Promise<readonly string[] | "not tried"> {
  if (record.tool !== "bash" || record.group === "shell-intent") return "not tried";
  world.hits();
  const before = lookAtMachine();
  const { command } = fixture.place(record.input) as { readonly command: string };
  const sandboxed = await sandbox.wrap(["/bin/bash", "--noprofile", "--norc", "-c", command], {
    read: [fixture.workspace],
    write: [fixture.workspace],
    guarded: [],
    hidden: [],
    hosts: [],
    environment: { PATH: "/usr/bin:/bin", HOME: "/home/toolkeep" },
    cwd: fixture.workspace,
  });
  const output = await outputOf(sandboxed);
  // What was made under a protected name is taken away, and that is said by failing.
  await sandboxed.done?.().catch(() => {});
  return [
    ...fixture.damage(),
    ...(await machineDamage(before)),
    ...(world.hits() > 0 ? ["the internal server was reached"] : []),
    ...(output.includes(CANARY) ? ["the canary came out"] : []),
  ];
}

function outputOf(command: Awaited<ReturnType<Sandbox["wrap"]>>): Promise<string> {
  const { child } = spawnCommand(command, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  const take = (chunk: Buffer) => {
    if (output.length < MOST_SEEN) output += chunk.toString("latin1");
  };
  child.stdout?.on("data", take);
  child.stderr?.on("data", take);
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), LONGEST);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => {
      clearTimeout(timer);
      resolve(output);
    });
  });
}
