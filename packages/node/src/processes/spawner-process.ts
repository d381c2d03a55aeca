/**
 * A program of its own: starts commands for a process that may have grown too large to fork. It and what it
 * imports use nothing but Node. It ends every command when whoever started it is gone, and then itself.
 */
import { closeInherited } from "./close-inherited.ts";
import { type RunningProcess, runProcess } from "./run-process.ts";
import {
  messageLine,
  messageReader,
  type SpawnerReply,
  type SpawnerRequest,
  type StartRequest,
} from "./spawner-protocol.ts";

const running = new Map<number, Promise<RunningProcess>>();
let isShutDown = false;

closeInherited();
process.stdout.on("error", shutDown);
process.stdin.setEncoding("utf8");
process.stdin.on("data", messageReader<SpawnerRequest>(receive));
for (const event of ["end", "error", "close"]) process.stdin.once(event, shutDown);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.once(signal, shutDown);
say({ is: "ready" });

function receive(request: SpawnerRequest): void {
  if (isShutDown) return;
  if (request.do === "start") void start(request);
  else void kill(request.id, request.graceMs);
}

async function start(request: StartRequest): Promise<void> {
  const { id } = request;
  try {
    const starting = runProcess(request);
    running.set(id, starting);
    const { root, init, ended } = await starting;
    const { pid, startedAt } = root;
    say({ is: "started", id, pid, ...(startedAt === undefined ? {} : { startedAt }) });
    void init.then((known) => {
      if (known !== undefined) say({ is: "namespace", id, ...known });
    });
    say({ is: "exited", id, ...(await ended) });
  } catch (error) {
    say({ is: "failed", id, code: (error as NodeJS.ErrnoException).code ?? "EUNKNOWN" });
  } finally {
    running.delete(id);
  }
}

/** Also one that is only about to start. One that is over, or never ran, has been told of. */
async function kill(id: number, graceMs: number): Promise<void> {
  try {
    (await running.get(id))?.kill(graceMs);
  } catch {
    // It could not be started, which `start` says.
  }
}

function shutDown(): void {
  if (isShutDown) return;
  isShutDown = true;
  void Promise.allSettled([...running.values()].map(endNow)).then(() => process.exit(0));
}

async function endNow(starting: Promise<RunningProcess>): Promise<void> {
  const one = await starting;
  one.kill(0);
  await one.ended;
}

function say(reply: SpawnerReply): void {
  process.stdout.write(messageLine(reply));
}
