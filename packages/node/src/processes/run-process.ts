import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, fchmodSync, fchownSync, fstatSync, ftruncateSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { endTree, startOf, type TreeRoot } from "./process-tree.ts";
import type { KeptStreams, ProcessEnd, StartRequest } from "./spawner-protocol.ts";

/** A process group that was started, and its end. */
export interface RunningProcess {
  readonly root: TreeRoot;
  /** When its first process is over and no other one of it is left. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends the whole tree: asks first if there is a grace, then forces. A later, shorter grace counts. */
  kill(graceMs: number): void;
}

const WATCH_MS = 20;

/** So soon after its start, process ids cannot have come round. */
const FRESH_MS = 100;

const OUTPUT_RIGHTS = 0o600;

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

/** Starts a process in a group and session of its own. Throws what the system says if it cannot. */
export async function runProcess(request: StartRequest): Promise<RunningProcess> {
  const { argv, environment: env, cwd, user, marker, streams } = request;
  const opened = await openStreams(request);
  try {
    const [program, ...words] = argv;
    const child = spawn(program, words, { cwd, env, detached: true, stdio: opened.stdio, ...user });
    if (child.pid === undefined) throw (await once(child, "error"))[0];
    const root = { pid: child.pid, startedAt: startOf(child.pid), marker };
    const tree = endable(root);
    const ended = endOf(child, tree);
    if (!("outputPath" in streams) || opened.output === undefined) return { root, ended, kill: tree.kill };
    return { root, ended: watched(ended, { ...streams, output: opened.output, tree }), kill: tree.kill };
  } catch (error) {
    if (opened.output !== undefined) closeSync(opened.output);
    throw error;
  } finally {
    opened.release();
  }
}

interface EndableTree {
  kill(graceMs: number): void;
  /** To be asked once the first process is over: ends what it left. */
  finish(): Promise<number>;
}

function endable(root: TreeRoot): EndableTree {
  const begunAt = performance.now();
  let ending: Promise<number> | undefined;
  let shortest = Number.POSITIVE_INFINITY;
  return {
    kill(graceMs) {
      if (graceMs >= shortest) return;
      shortest = graceMs;
      const before = ending;
      const now = endTree(root, { graceMs });
      ending = before === undefined ? now : Promise.all([before, now]).then(([, left]) => left);
    },
    finish: () => ending ?? endTree(root, { graceMs: 0, isFresh: performance.now() - begunAt < FRESH_MS }),
  };
}

async function endOf(child: ChildProcess, tree: EndableTree): Promise<ProcessEnd> {
  const [exitCode, signal] = (await once(child, "exit")) as [number | null, string | null];
  const left = await tree.finish();
  return { exitCode, ...(signal === null ? {} : { signal }), ...(left === 0 ? {} : { left }) };
}

interface WatchedOutput extends KeptStreams {
  readonly output: number;
  readonly tree: EndableTree;
}

/** Looks at the size of the file from time to time: nothing stands between a command and its output. */
async function watched(ended: Promise<ProcessEnd>, watch: WatchedOutput): Promise<ProcessEnd> {
  const { output, outputLimit, tree } = watch;
  const isOver = () => fstatSync(output).size > outputLimit;
  const timer = setInterval(() => {
    if (isOver()) tree.kill(0);
  }, WATCH_MS);
  try {
    const end = await ended;
    giveRightsBack(output);
    if (!isOver()) return end;
    ftruncateSync(output, outputLimit);
    return { ...end, isOverLimit: true };
  } finally {
    clearInterval(timer);
    closeSync(output);
  }
}

/** A command may have taken them away from itself, and from us with it. Where that fails, whoever reads is told. */
function giveRightsBack(output: number): void {
  try {
    fchmodSync(output, OUTPUT_RIGHTS);
  } catch {}
}

interface OpenedStreams {
  readonly stdio: ("ignore" | number | Socket)[];
  /** Stays open, to be watched. */
  readonly output?: number;
  /** Lets go of what only the command needs. */
  release(): void;
}

async function openStreams({ streams, user }: StartRequest): Promise<OpenedStreams> {
  if ("socketPath" in streams) return talkingStreams(streams.socketPath);
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW;
  const output = openSync(streams.outputPath, flags, OUTPUT_RIGHTS);
  try {
    // So that whoever it runs as may open /dev/stdout.
    if (user !== undefined) fchownSync(output, user.uid, user.gid);
    const input =
      streams.inputPath === undefined ? undefined : openSync(streams.inputPath, O_RDONLY | O_NOFOLLOW);
    const release = () => {
      if (input !== undefined) closeSync(input);
    };
    return { stdio: [input ?? "ignore", output, output], output, release };
  } catch (error) {
    closeSync(output);
    throw error;
  }
}

/** Connected one after the other, so that the other side knows which is which. */
async function talkingStreams(socketPath: string): Promise<OpenedStreams> {
  const stdio: Socket[] = [];
  const release = () => {
    for (const socket of stdio) socket.destroy();
  };
  try {
    while (stdio.length < 3) {
      const socket = new Socket();
      stdio.push(socket);
      // What is sent to the command must not be read here.
      socket.pause();
      socket.connect(socketPath);
      await once(socket, "connect");
    }
    return { stdio, release };
  } catch (error) {
    release();
    throw error;
  }
}
