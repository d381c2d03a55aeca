import type { Truncation } from "../call/result.ts";
import type { ByteRange } from "../io/io.ts";

/** Port: keeps output that is too large for a result, until the session closes. */
export interface Sidecar {
  /** Opens a file of its own for one output. Without a media type, it is plain text. */
  open(callId: string, options?: { readonly mediaType?: string }): Promise<SidecarFile>;
  /** Reads back what an earlier call of this session left; `undefined` for a path that is not one of ours. */
  read(path: string, range?: ByteRange): Promise<Uint8Array | undefined>;
  /** Removes everything. */
  clear(): Promise<void>;
}

/** A stored output. */
export interface SidecarFile {
  /** What `Sidecar.read` takes. Where an output is found by its content, it is known once the file is closed. */
  readonly path: string;
  /** The content of a file that is closed, where outputs are found by it. */
  readonly whole?: Truncation["whole"];
  write(bytes: Uint8Array): Promise<void> | void;
  close(): Promise<void> | void;
}
