import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, fchmodSync, fchownSync, fstatSync, ftruncateSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { endNamespace, endTree, type NamespaceInit, startOf, type TreeRoot } from "./process-tree.ts";
import { spawnCommand } from "./spawn-command.ts";
import type { KeptStreams, ProcessEnd, StartRequest } from "./spawner-protocol.ts";

/** A process group that was started, and its end. */
export interface RunningProcess {
  readonly root: TreeRoot;
  /** The first process of the namespace that it makes; `undefined` where it makes none. */
  readonly init: Promise<NamespaceInit | undefined>;
  /** When its first process is over and no other one of it is left. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends the whole tree: asks first if there is a grace, then forces. A later, shorter grace applies. */
  kill(graceMs: number): void;
}

const WATCH_MS = 20;

/** So soon after its start, process ids cannot have come round. */
const FRESH_MS = 100;

const OUTPUT_RIGHTS = 0o600;

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants;

/** What is to be started, as it is asked of the spawner; or with the streams of this process. */
type ProcessRequest = Omit<StartRequest, "do" | "id" | "streams"> & {
  readonly streams: StartRequest["streams"] | "inherit";
};

/** Starts a process in a group and session of its own. Throws the error of the system if it cannot. */
export async function runProcess(request: ProcessRequest): Promise<RunningProcess> {
  const { marker, streams } = request;
  const opened = await openStreams(request);
  try {
    const { child, init } = spawnCommand(request, { stdio: opened.stdio, detached: true });
    if (child.pid === undefined) throw (await once(child, "error"))[0];
    const root = { pid: child.pid, startedAt: startOf(child.pid), marker };
    const tree = endable(root, init, request.namespace?.isShared === true);
    const ended = endOf(child, tree);
    const running = { root, init, ended, kill: tree.kill };
    if (streams === "inherit" || !("outputPath" in streams) || opened.output === undefined) return running;
    return { ...running, ended: watched(ended, { ...streams, output: opened.output, tree }) };
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

/** What is reported of a namespace comes before its command runs; this is for a process that is stopped before it reports. */
const REPORT_WITHIN_MS = 2_000;

function endable(
  first: TreeRoot,
  init: Promise<NamespaceInit | undefined>,
  mayLeaveSome: boolean,
): EndableTree {
  const begunAt = performance.now();
  let root = first;
  void init.then((known) => {
    root = { ...first, init: known };
  });
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
    async finish() {
      if (mayLeaveSome) return (await ending) ?? 0;
      const known = await Promise.race([init, pause(REPORT_WITHIN_MS, undefined, { ref: false })]);
      const left = await ending;
      // Nothing but the namespace was ever started by its first process, which is over.
      if (known !== undefined) return (await endNamespace(known)) ? 0 : (left ?? 1);
      return left ?? endTree(root, { graceMs: 0, isFresh: performance.now() - begunAt < FRESH_MS });
    },
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

/** Checks the size of the file from time to time: nothing is between a command and its output. */
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

/** A command may have removed our permissions for the file with its own. If this fails, the reader gets the error. */
function giveRightsBack(output: number): void {
  try {
    fchmodSync(output, OUTPUT_RIGHTS);
  } catch {}
}

type Stream = "ignore" | number | Socket;

interface OpenedStreams {
  readonly stdio: [Stream, Stream, Stream];
  /** Stays open, to be watched. */
  readonly output?: number;
  /** Lets go of what only the command needs. */
  release(): void;
}

async function openStreams({ streams, user }: ProcessRequest): Promise<OpenedStreams> {
  if (streams === "inherit") return { stdio: [0, 1, 2], release: () => {} };
  if ("socketPath" in streams) return talkingStreams(streams.socketPath);
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW;
  const output = openSync(streams.outputPath, flags, OUTPUT_RIGHTS);
  try {
    // So that the user it runs as may open /dev/stdout.
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
  const sockets: Socket[] = [];
  const release = () => {
    for (const socket of sockets) socket.destroy();
  };
  try {
    while (sockets.length < 3) {
      const socket = new Socket();
      sockets.push(socket);
      // What is sent to the command must not be read here.
      socket.pause();
      socket.connect(socketPath);
      await once(socket, "connect");
    }
    return { stdio: sockets as [Socket, Socket, Socket], release };
  } catch (error) {
    release();
    throw error;
  }
}
