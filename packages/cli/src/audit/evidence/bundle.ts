import { createHash } from "node:crypto";
import { canonicalJson, currentProgram, type Program } from "@toolkeep/core/internal";
import type { JournalBatch } from "@toolkeep/core/journal";
import type { SqliteStore } from "@toolkeep/sqlite";

/**
 * The records of some sessions in one file that is verified without the store. Lines of canonical JSON: a heading, for
 * each session its id and its batches, the manifest with its signature, and the hash of all bytes before.
 */
export const BUNDLE_HEADING = { toolkeep: "bundle", version: 1 } as const;

/** What is signed: where the record of each session ends, and whose signatures approvals have. */
export interface BundleManifest {
  readonly at: string;
  readonly program: Program;
  readonly sessions: readonly BundledHead[];
  /** The public keys of approvers, by name. */
  readonly keys: ApproverKeys;
}

export type ApproverKeys = Readonly<Record<string, readonly string[]>>;

export interface BundledHead {
  readonly id: string;
  readonly seq: number;
  readonly hash: string;
  readonly batches: number;
}

/** A batch as it is written: its bytes are text. */
export interface BundledBatch {
  readonly firstSeq: number;
  readonly events: number;
  readonly hash: string;
  readonly text: string;
}

export interface BundleParts {
  readonly sessions: readonly string[];
  readonly keys: ApproverKeys;
  /** Signs the manifest; left out, the bundle is not signed. */
  sign?(text: string): Promise<string>;
}

/** The lines of a bundle, with their ends. @throws ToolkeepError `journal_broken` if a session was changed. */
export async function* bundleLines(
  store: Pick<SqliteStore, "batches">,
  { sessions, keys, sign }: BundleParts,
): AsyncGenerator<string> {
  const hash = createHash("sha256");
  const line = (value: object) => {
    const text = `${canonicalJson(value)}\n`;
    hash.update(text);
    return text;
  };
  yield line(BUNDLE_HEADING);
  const heads: BundledHead[] = [];
  for (const id of sessions) {
    yield line({ session: id });
    let head: BundledHead = { id, seq: 0, hash: "", batches: 0 };
    for await (const batch of store.batches(id)) {
      yield line({ batch: bundled(batch) });
      const { firstSeq, events } = batch;
      head = { id, seq: firstSeq + events, hash: batch.hash, batches: head.batches + 1 };
    }
    heads.push(head);
  }
  const at = new Date().toISOString();
  const manifest: BundleManifest = { at, program: currentProgram(), sessions: heads, keys };
  const signature = await sign?.(canonicalJson(manifest));
  yield line(signature === undefined ? { manifest } : { manifest, signature });
  yield `${canonicalJson({ sha256: hash.digest("hex") })}\n`;
}

function bundled({ firstSeq, events, hash, bytes }: JournalBatch): BundledBatch {
  return { firstSeq, events, hash, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
}
