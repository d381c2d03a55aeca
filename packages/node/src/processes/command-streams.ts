import type { Socket } from "node:net";
import { ToolFailure } from "@toolkeep/core";

/** A stream of output that also ends when the command has, even if somebody still holds the other end. */
export interface OutputStreamOf {
  readonly stream: ReadableStream<Uint8Array>;
  /** The command is over: what is under way is still read, then the stream closes. */
  finish(): void;
}

/** After the end of a command: how long silence must last to be the end of its output. */
const SILENCE_MS = 250;

/** After the end of a command: how long nobody needs to have read before we let go. */
const ABANDONED_MS = 60_000;

/** Reads only as fast as it is read from. */
export function outputOf(socket: Socket): OutputStreamOf {
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
      if ((await change()) === "silence" && wasOver) return undefined;
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
export function inputOf(socket: Socket): WritableStream<Uint8Array> {
  const { promise: gone, reject } = Promise.withResolvers<never>();
  gone.catch(() => {});
  socket.on("close", () =>
    reject(new ToolFailure("tool_failed", "The command does not read its input any more.")),
  );
  // It never says anything; what is read is its end.
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
