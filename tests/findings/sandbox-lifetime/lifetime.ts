import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import type { SandboxedCommand } from "@toolkeep/core/ports";
import { startServerProcess } from "../../../packages/mcp/src/connection/link/server-process.ts";
import { startSpawner } from "../../../packages/node/src/processes/spawner.ts";
import {
  alive,
  asItWas,
  haveStarted,
  layOut,
  oddSeconds,
  profile,
  report,
  sandbox,
  soon,
  start,
  WORKSPACE,
  withoutFilter,
} from "./stage.ts";

/* Tries to outlive the sandbox. Prints one line for each scene. Only ever started within the jail. */

const WAYS = ["daemon", "deaf", "holding", "stopped", "many", "vm", "trace", "memory"] as const;
/** What has printed is at its end. */
const ENOUGH_MS = 500;

const [mode, word = ""] = process.argv.slice(2);
if (mode === "host") await beHost(word);
else await allScenes(mode === "every moment");

async function allScenes(isCampaign: boolean): Promise<void> {
  layOut("outlive.py");
  const spawner = await startSpawner();
  const tries: readonly (readonly [string, () => Promise<unknown>])[] = [
    ...WAYS.map((way) => [way, () => outlive(way, (command) => command)] as const),
    // Each alone must be enough for what it is there for.
    ["trace, without a filter", () => outlive("trace", withoutFilter)],
    ["memory, without a filter", () => outlive("memory", withoutFilter)],
    ["trace, as it was", () => outlive("trace", asItWas)],
  ];
  // Each waits more than it works, so two of them are tried at once.
  for (let at = 0; at < tries.length; at += 2)
    await Promise.all(tries.slice(at, at + 2).map(async ([name, play]) => report(name, await play())));

  for (const graceMs of [0, 200]) report(`killed with ${graceMs} ms`, await killed(graceMs));
  report("killed while it starts", await killedEarly());
  report("a server", await serverLeft());
  report("in several orders", await inSeveralOrders());
  report("the spawner is killed", await spawnerKilled());
  for (const both of [false, true])
    report(both ? "host and spawner are killed" : "the host is killed", await hostKilled(both));
  await spawner.close();

  async function outlive(way: string, change: (command: SandboxedCommand) => SandboxedCommand) {
    const seconds = oddSeconds();
    const line = `python3 outlive.py ${way} ${seconds}`;
    const command = await sandbox.wrap(["/bin/bash", "-c", line], profile());
    const { ended, kill, output } = await start(spawner, change(command));
    // What has taken over process 1 may never end by itself; until it has said so, it is given time.
    await Promise.race([ended, soon(() => output().endsWith("\n"))]);
    const timer = setTimeout(() => void kill(0), ENOUGH_MS);
    await ended;
    clearTimeout(timer);
    const left = alive(seconds);
    await command.done?.();
    for (const pid of left) process.kill(pid, "SIGKILL");
    return { said: output().trim(), left: left.length };
  }

  async function sleeping(link = spawner) {
    const seconds = oddSeconds();
    const line = `setsid -f sleep ${seconds}; sleep ${seconds}`;
    const command = await sandbox.wrap(["/bin/bash", "-c", line], profile());
    return { seconds, command, ...(await start(link, command)) };
  }

  async function killed(graceMs: number): Promise<number> {
    const { seconds, kill, ended } = await sleeping();
    await haveStarted(seconds);
    await kill(graceMs);
    await ended;
    return alive(seconds).length;
  }

  /** At moments between the start of `bwrap` and that of the command. */
  async function killedEarly(): Promise<number> {
    let left = 0;
    for (let after = 0; after < 20; after += isCampaign ? 2 : 4) {
      const { seconds, kill, ended } = await sleeping();
      await pause(after);
      await kill(0);
      await ended;
      left += alive(seconds).length;
      left += alive(`setsid -f sleep ${seconds}; sleep ${seconds}`).length;
    }
    return left;
  }

  async function inSeveralOrders(): Promise<readonly number[]> {
    const left: number[] = [];
    for (const order of isCampaign ? ["012", "021", "102", "120", "201", "210"] : ["012", "120", "201"]) {
      const three = await Promise.all([sleeping(), sleeping(), sleeping()]);
      await haveStarted(...three.map(({ seconds }) => seconds));
      for (const [at, digit] of [...order].entries()) {
        await three[Number(digit)]?.kill(0);
        // Those whose turn has not come must go on.
        left.push(
          ...three.map(({ seconds }, index) =>
            order.indexOf(`${index}`) > at === alive(seconds).length > 0 ? 0 : 1,
          ),
        );
      }
      await Promise.all(three.map(({ command }) => command.done?.()));
    }
    return left.filter((wrong) => wrong > 0);
  }

  /** The program of an MCP server is started by a runner of its own. */
  async function serverLeft() {
    const seconds = oddSeconds();
    const command = await sandbox.wrap(["/usr/bin/python3", "outlive.py", "trace", seconds], profile());
    const server = await startServerProcess({ command: withoutFilter(command), isSandboxed: true });
    const said = server.stdout.setEncoding("utf8").toArray();
    await server.ended;
    return { said: (await said).join("").trim(), left: alive(seconds).length };
  }

  async function spawnerKilled(): Promise<number> {
    const own = await startSpawner();
    const { seconds, ended } = await sleeping(own);
    await haveStarted(seconds);
    process.kill(own.pid ?? 0, "SIGKILL");
    await ended.catch(() => {});
    const left = alive(seconds).length;
    await own.close();
    return left;
  }

  async function hostKilled(both: boolean): Promise<boolean> {
    const seconds = oddSeconds();
    const args = ["--conditions=@toolkeep/source", "--no-warnings", import.meta.filename, "host", seconds];
    const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const spawnerPid = await new Promise<number>((resolve) =>
      host.stdout.once("data", (text) => resolve(Number(text))),
    );
    await haveStarted(seconds);
    if (both) process.kill(spawnerPid, "SIGKILL");
    host.kill("SIGKILL");
    return !(await soon(() => alive(seconds).length === 0));
  }
}

/** Another host application, to be killed. */
async function beHost(seconds: string): Promise<void> {
  const spawner = await startSpawner();
  const line = `setsid -f sleep ${seconds}; sleep ${seconds}`;
  await start(spawner, await sandbox.wrap(["/bin/bash", "-c", line], profile({ cwd: WORKSPACE })));
  console.log(spawner.pid);
  await pause(60_000);
}
