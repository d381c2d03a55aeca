import { pipeline, type Readable, Transform } from "node:stream";
import { ToolFailure } from "@toolkeep/core";
import type { Deadline } from "./deadline.ts";
import { networkFailure } from "./network-failure.ts";

export interface BodyOptions {
  /** What undoes the compression. */
  readonly decoder: Transform | undefined;
  readonly maxBytes: number;
  readonly deadline: Deadline;
  readonly host: string;
}

/**
 * The body as a stream that is read as it is asked for. It errors with a ToolFailure: `too_large` after the
 * most bytes it may have, which are still given, `timed_out`, `cancelled`, or `unavailable` if it breaks off.
 */
export function boundedBody(wire: Readable, options: BodyOptions): ReadableStream<Uint8Array> {
  const { decoder, maxBytes, deadline, host } = options;
  // Counted on both sides: a coding may also take much to say nothing.
  const source = decoder === undefined ? wire : pipeline(wire, countedUpTo(maxBytes), decoder, ignoreFailure);
  source.on("error", ignoreFailure);
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let left = maxBytes;
  let failure: ToolFailure | undefined;

  function stop(reason: ToolFailure): ToolFailure {
    failure = reason;
    deadline.end();
    source.destroy();
    wire.destroy();
    return reason;
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (failure !== undefined) return controller.error(failure);
    try {
      // Also what has come already is late.
      deadline.signal.throwIfAborted();
      const { done, value } = await chunks.next();
      if (done === true) {
        deadline.end();
        return controller.close();
      }
      const isOver = value.byteLength > left;
      const part = isOver ? value.subarray(0, left) : value;
      if (isOver) stop(tooLarge(maxBytes));
      left -= part.byteLength;
      if (part.byteLength === 0 && failure !== undefined) return controller.error(failure);
      controller.enqueue(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
    } catch (error) {
      const { aborted, reason } = deadline.signal;
      controller.error(stop(networkFailure(aborted ? reason : error, host)));
    }
  }

  return new ReadableStream<Uint8Array>(
    { pull, cancel: () => void stop(new ToolFailure("cancelled", "The body is no longer read.")) },
    { highWaterMark: 0 },
  );
}

function countedUpTo(most: number): Transform {
  let size = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.byteLength;
      if (size > most) done(tooLarge(most));
      else done(null, chunk);
    },
  });
}

function tooLarge(most: number): ToolFailure {
  return new ToolFailure("too_large", `The answer is larger than ${most} bytes.`, {
    hint: "Ask for a part of it, or for something smaller.",
  });
}

/** Whoever reads the body is told; a stream that nobody listens to would end the process. */
function ignoreFailure(): void {}
