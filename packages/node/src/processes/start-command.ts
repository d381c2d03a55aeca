import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ToolFailure } from "@toolkeep/core";
import type { Command, CommandOutcome, Grant, RunningCommand } from "@toolkeep/core/ports";
import { type CommandParts, limitsOf, outcomeOf } from "./command-parts.ts";
import { type PreparedCommand, prepareCommand, refuseStopped } from "./prepare-command.ts";
import type { SpawnedProcess } from "./spawner-link.ts";
import type { ProcessEnd } from "./spawner-protocol.ts";

/** Starts a command that is talked to. It is ended with the call, if not before. */
export async function startCommand(
  command: Command,
  grant: Grant,
  parts: CommandParts,
): Promise<RunningCommand> {
  refuseWhatRunTakes(command);
  const sandboxed = await prepareCommand(command, grant, parts);
  const listener = await listenForStreams().catch(async (error: unknown) => {
    await sandboxed.done?.();
    throw error;
  });
  try {
    refuseStopped(grant.abortSignal);
    const process = await parts.spawner.start({
      command: sandboxed,
      streams: { socketPath: listener.socketPath },
    });
    return await talkTo(process, { listener, sandboxed, grant, graceMs: limitsOf(parts).graceMs });
  } catch (error) {
    await listener.close("all");
    await sandboxed.done?.();
    throw error;
  }
}

interface Talk {
  readonly listener: StreamListener;
  readonly sandboxed: PreparedCommand;
  readonly grant: Grant;
  readonly graceMs: number;
}

async function talkTo(process: SpawnedProcess, talk: Talk): Promise<RunningCommand> {
  const { listener, sandboxed, grant, graceMs } = talk;
  const [input, output, errors] = await listener.accepted;
  await listener.close();
  const [stdout, stderr] = [outputOf(output), outputOf(errors)];
  const kill = () => process.kill(graceMs);
  const killOnAbort = () => void kill();
  grant.abortSignal.addEventListener("abort", killOnAbort, { once: true });
  if (grant.abortSignal.aborted) killOnAbort();
  const exited = exit();
  // A tool may look at the streams alone.
  exited.catch(() => {});
  return { stdin: inputOf(input), stdout: stdout.stream, stderr: stderr.stream, exited, kill };

  async function exit(): Promise<CommandOutcome> {
    let end: ProcessEnd | undefined;
    try {
      end = await process.ended;
      return outcomeOf(end, { note: sandboxed.note?.() });
    } finally {
      grant.abortSignal.removeEventListener("abort", killOnAbort);
      input.destroy();
      stdout.finish();
      stderr.finish();
      await sandboxed.done?.(end);
    }
  }
}

function refuseWhatRunTakes({ stdin, onOutput, keepBytes, timeoutMs }: Command): void {
  if ([stdin, onOutput, keepBytes, timeoutMs].every((one) => one === undefined)) return;
  throw new ToolFailure(
    "tool_failed",
    "A command that is talked to has streams: `stdin`, `onOutput`, `keepBytes` and `timeoutMs` are for those that are run.",
  );
}

/** A stream of output that also ends when the command has, even if another process keeps the other end open. */
interface OutputStreamOf {
  readonly stream: ReadableStream<Uint8Array>;
  /** The command is over: what is under way is still read, then the stream closes. */
  finish(): void;
}

/** After the end of a command: how long silence must last to be the end of its output. */
const SILENCE_MS = 250;

/** After the end of a command: how long to wait for a reader before the stream is released. */
const ABANDONED_MS = 60_000;

/** Reads only as fast as it is read from. */
function outputOf(socket: Socket): OutputStreamOf {
  let isOver = false;
  let wake: (() => void) | undefined;
  let idle: NodeJS.Timeout | undefined;
  for (const event of ["readable", "end", "close", "error"]) socket.on(event, () => wake?.());

  /** Until there is something new: data, an end, or silence after the end. */
  function change(): Promise<"change" | "silence"> {
    const { promise, resolve } = Promise.withResolvers<"change" | "silence">();
    const timer = isOver ? setTimeout(resolve, SILENCE_MS, "silence") : undefined;
    wake = () => resolve("change");
    return promise.finally(() => clearTimeout(timer));
  }

  async function next(): Promise<Uint8Array | undefined> {
    clearTimeout(idle);
    for (;;) {
      const wasOver = isOver;
      const chunk = socket.read() as Buffer | null;
      if (chunk !== null) return new Uint8Array(chunk);
      if (socket.readableEnded || socket.destroyed) return undefined;
      if ((await change()) !== "silence" || !wasOver) continue;
      // If this process was blocked, there may be output that was not read yet. It is read before the next turn.
      await nextTurn();
      if (socket.readableLength === 0) return undefined;
    }
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await next();
        if (chunk !== undefined) {
          controller.enqueue(chunk);
          if (isOver) letGoLater();
          return;
        }
        controller.close();
        socket.destroy();
      },
      cancel() {
        socket.destroy();
      },
    },
    { highWaterMark: 0 },
  );

  function letGoLater(): void {
    idle = setTimeout(() => socket.destroy(), ABANDONED_MS).unref();
  }

  return {
    stream,
    finish() {
      isOver = true;
      letGoLater();
      wake?.();
    },
  };
}

/** Waits until what was written is on its way. Rejects once the command reads no more. */
function inputOf(socket: Socket): WritableStream<Uint8Array> {
  const { promise: gone, reject } = Promise.withResolvers<never>();
  gone.catch(() => {});
  socket.on("close", () =>
    reject(new ToolFailure("tool_failed", "The command does not read its input any more.")),
  );
  // It never writes anything; what is read is its end.
  socket.resume();
  return new WritableStream<Uint8Array>({
    write: (chunk) => Promise.race([gone, settled((done) => socket.write(chunk, done))]),
    close: () => Promise.race([gone, settled((done) => socket.end(done))]),
    abort() {
      socket.destroy();
    },
  });
}

function settled(act: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    act((error) => (error ? reject(error) : resolve()));
  });
}

/** Our ends of the streams of one command, in a folder that no other user may enter. */
interface StreamListener {
  readonly socketPath: string;
  /** Input, output and errors, once the spawner has connected them. */
  readonly accepted: Promise<readonly [Socket, Socket, Socket]>;
  /** Takes no more; with `all`, also drops what was accepted. */
  close(all?: "all"): Promise<void>;
}

/** What the name of a socket may have at most, on any system. */
const LONGEST_PATH = 100;

/** Waits for the three streams of one command. */
async function listenForStreams(): Promise<StreamListener> {
  const folder = await mkdtemp(join(shortEnough(tmpdir()), "toolkeep-"));
  const socketPath = join(folder, "s");
  const sockets: Socket[] = [];
  const accepted = Promise.withResolvers<readonly [Socket, Socket, Socket]>();
  accepted.promise.catch(() => {});
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    // A command that ends is no error here; the reader or writer gets it.
    socket.on("error", () => {});
    if (sockets.push(socket) > 3) socket.destroy();
    const [input, output, errors] = sockets;
    if (input && output && errors) accepted.resolve([input, output, errors]);
  });
  server.listen(socketPath);
  await once(server, "listening");
  return {
    socketPath,
    accepted: accepted.promise,
    async close(all) {
      if (all !== undefined) for (const socket of sockets) socket.destroy();
      accepted.reject(new ToolFailure("unavailable", "The streams of the command were not connected."));
      await stopListening(server, folder);
    },
  };
}

/** Those that were accepted live on. */
async function stopListening(server: Server, folder: string): Promise<void> {
  server.close();
  await rm(folder, { recursive: true, force: true });
}

function shortEnough(folder: string): string {
  return folder.length + "/toolkeep-XXXXXX/s".length > LONGEST_PATH ? "/tmp" : folder;
}
