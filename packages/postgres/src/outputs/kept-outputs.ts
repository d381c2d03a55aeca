import { createHash, hash } from "node:crypto";
import { ToolFailure } from "@toolkeep/core";
import type { Sidecar, SidecarFile } from "@toolkeep/core/journal";
import type { OutputReferences } from "./output-references.ts";
import type { OutputStorage } from "./output-storage.ts";

/** An output is held in memory until it is whole: only then its hash is known. */
const MOST_BYTES = 64 * 1_024 * 1_024;
/** Each holds a connection to the database while the storage is asked. */
const MOST_STORING = 2;
const PATH = /^sha256:([0-9a-f]{64})$/;

interface ReadOutput {
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** Keeps large outputs by their hash, once for all sessions. A session reads only outputs of its own. */
export class KeptOutputs {
  readonly #references: OutputReferences;
  readonly #storage: OutputStorage;
  readonly #waiting: (() => void)[] = [];
  #storing = 0;
  /** An output is read in parts, and verified as a whole. */
  #lastRead: ReadOutput | undefined;

  constructor(references: OutputReferences, storage: OutputStorage) {
    this.#references = references;
    this.#storage = storage;
  }

  /** The outputs of one session. They need not be redacted: everything is, before it comes here. */
  of(sessionId: string): Sidecar {
    return {
      open: async (callId, { mediaType = "text/plain" } = {}) =>
        this.#newFile({ sessionId, callId, mediaType }),
      read: async (path, { offset = 0, length } = {}) => {
        const sha256 = PATH.exec(path)?.[1];
        if (sha256 === undefined || !(await this.#references.has(sessionId, sha256))) return undefined;
        const bytes = await this.#read(sha256);
        const from = Math.max(0, offset);
        return bytes.slice(from, length === undefined ? undefined : from + Math.max(0, length));
      },
      clear: async () => {
        this.#lastRead = undefined;
        await this.#references.remove(sessionId);
        await this.collect();
      },
    };
  }

  /** Removes bytes to which no session refers any more. A storage that fails keeps them until the next time. */
  async collect(): Promise<void> {
    await this.#references.collect(this.#storage).catch(() => undefined);
  }

  #newFile(of: { sessionId: string; callId: string; mediaType: string }): SidecarFile {
    const digest = createHash("sha256");
    const chunks: Uint8Array[] = [];
    let size = 0;
    let whole: SidecarFile["whole"];
    return {
      get path() {
        if (whole === undefined) throw new Error("the path of an output is known once it is closed");
        return `sha256:${whole.sha256}`;
      },
      get whole() {
        return whole;
      },
      write(bytes) {
        size += bytes.length;
        if (size > MOST_BYTES)
          throw new ToolFailure("too_large", `An output of more than ${MOST_BYTES} bytes cannot be kept.`);
        digest.update(bytes);
        chunks.push(bytes.slice());
      },
      close: async () => {
        if (whole !== undefined) return;
        const sha256 = digest.digest("hex");
        const { mediaType } = of;
        if (!(await this.#references.add({ ...of, sha256, bytes: size })))
          throw new ToolFailure("too_large", "The session has kept as much output as it may.");
        await this.#store(sha256, Buffer.concat(chunks));
        whole = Object.freeze({ sha256, bytes: size, mediaType });
      },
    };
  }

  async #store(sha256: string, bytes: Uint8Array): Promise<void> {
    if (this.#storing >= MOST_STORING) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#storing += 1;
    try {
      await this.#references.store(this.#storage, sha256, bytes);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#storing -= 1;
      else next();
    }
  }

  async #read(sha256: string): Promise<Uint8Array> {
    if (this.#lastRead?.sha256 === sha256) return this.#lastRead.bytes;
    const bytes = await this.#storage.get(sha256).catch((cause: unknown) => {
      throw new ToolFailure("unavailable", "The storage of outputs does not answer.", {
        hint: "Try again later.",
        transient: true,
        cause,
      });
    });
    if (bytes === undefined)
      throw new ToolFailure("unavailable", `The output sha256:${sha256} was kept, and is no longer there.`);
    if (hash("sha256", bytes) !== sha256)
      throw new ToolFailure(
        "tool_failed",
        `The output sha256:${sha256} was changed where it is kept: its hash is another one. It is not shown.`,
      );
    this.#lastRead = { sha256, bytes };
    return bytes;
  }
}
