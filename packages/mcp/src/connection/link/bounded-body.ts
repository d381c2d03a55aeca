import { ToolFailure } from "@toolkeep/core";
import { MOST_MESSAGE_BYTES } from "./link.ts";

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

export interface BodyWatch {
  received(bytes: number): void;
  /** Called before the stream fails. */
  overflowed(error: ToolFailure): void;
}

/** Limits the size of a response, or of each event of a stream, after decompression. A longer one fails. */
export function boundedBody(response: Response, watch: BodyWatch): Response {
  if (response.body === null) return response;
  const isStream =
    response.headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") ?? false;
  const sizeAfter = isStream ? eventSizes() : wholeSize();
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      watch.received(chunk.length);
      if (sizeAfter(chunk) <= MOST_MESSAGE_BYTES) return controller.enqueue(chunk);
      const error = tooLarge();
      watch.overflowed(error);
      controller.error(error);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(bounded), { status, statusText, headers });
}

function wholeSize(): (chunk: Uint8Array) => number {
  let size = 0;
  return (chunk) => {
    size += chunk.length;
    return size;
  };
}

/** The greatest event size within the chunk. An empty line ends an event; line endings are those of the standard. */
function eventSizes(): (chunk: Uint8Array) => number {
  let size = 0;
  let lineLength = 0;
  let isAfterReturn = false;
  return (chunk) => {
    let most = size;
    for (const byte of chunk) {
      size += 1;
      if (byte === LINE_FEED && isAfterReturn) {
        isAfterReturn = false;
        continue;
      }
      isAfterReturn = byte === RETURN;
      if (byte !== LINE_FEED && byte !== RETURN) {
        lineLength += 1;
        continue;
      }
      if (size > most) most = size;
      if (lineLength === 0) size = 0;
      lineLength = 0;
    }
    return Math.max(most, size);
  };
}

function tooLarge(): ToolFailure {
  return new ToolFailure("too_large", `The server sent a message of more than ${MOST_MESSAGE_BYTES} bytes.`, {
    hint: "Request less, e.g. a part or a page.",
  });
}
