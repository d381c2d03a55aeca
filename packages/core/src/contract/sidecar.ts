import type { ByteRange } from "./io.ts";

/** Port: keeps output that is too large for a result, until the session closes. */
export interface Sidecar {
  /** Opens a file of its own for one output. */
  open(callId: string): Promise<SidecarFile>;
  /** Reads back what an earlier call of this session left; `undefined` for a path that is not one of ours. */
  read(path: string, range?: ByteRange): Promise<Uint8Array | undefined>;
  /** Removes everything. */
  clear(): Promise<void>;
}

/** A stored output. */
export interface SidecarFile {
  readonly path: string;
  write(bytes: Uint8Array): Promise<void> | void;
  close(): Promise<void> | void;
}
