import type { Truncation } from "../contract/call/result.ts";
import type { Sidecar, SidecarFile } from "../contract/store/store.ts";
import type { OutputStream } from "../contract/tool/tool.ts";
import { redactStream } from "../redaction/redact-stream.ts";
import type { Redactor } from "../redaction/redactor.ts";
import { headOf } from "./bound-data.ts";

/** What a call wrote while it ran: the head, how much there was, and, if that is more than the head, where all of it is. */
interface CollectedOutput extends Pick<Truncation, "path" | "whole"> {
  readonly head: string;
  readonly bytes: number;
  readonly keptBytes: number;
}

/** Takes output of any size: redacts it, holds the head in memory and sends the whole to the sidecar. */
export interface OutputCollector extends OutputStream {
  end(): Promise<CollectedOutput>;
}

export interface CollectorOptions {
  readonly callId: string;
  readonly limitBytes: number;
  readonly redactor: Redactor;
  readonly sidecar: Sidecar;
}

export function collectOutput(options: CollectorOptions): OutputCollector {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const redacting = redactStream(options.redactor);
  let early = "";
  let head: string | undefined;
  let bytes = 0;
  let file: SidecarFile | undefined;
  let isLost = false;

  async function pass(text: string): Promise<void> {
    if (text === "") return;
    const encoded = encoder.encode(text);
    bytes += encoded.length;
    if (head === undefined) {
      early += text;
      if (bytes <= options.limitBytes) return;
      head = headOf(early, options.limitBytes);
      const beginning = encoder.encode(early);
      early = "";
      await keep(beginning);
      return;
    }
    await keep(encoded);
  }

  /** A sidecar that fails loses the rest of the output, not the call; the loss is counted. */
  async function keep(encoded: Uint8Array): Promise<void> {
    if (isLost) return;
    try {
      file ??= await options.sidecar.open(options.callId);
      const written = file.write(encoded);
      if (written !== undefined) await written;
    } catch {
      isLost = true;
    }
  }

  async function closeFile(): Promise<void> {
    try {
      await file?.close();
    } catch {
      isLost = true;
    }
  }

  return {
    write(chunk) {
      const text = typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
      return pass(redacting.push(text));
    },
    async end() {
      await pass(redacting.push(decoder.decode()) + redacting.end());
      await closeFile();
      const shown = head ?? early;
      const keptBytes = head === undefined ? bytes : encoder.encode(shown).length;
      return { head: shown, bytes, keptBytes, ...(file === undefined || isLost ? {} : placeOf(file)) };
    },
  };
}

/** How a result says where its whole output is. */
export function placeOf({ path, whole }: SidecarFile): Pick<Truncation, "path" | "whole"> {
  return whole === undefined ? { path } : { path, whole };
}
