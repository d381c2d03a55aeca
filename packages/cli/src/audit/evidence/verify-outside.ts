import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { visible } from "@toolkeep/core/internal";
import type { Store } from "@toolkeep/sqlite";
import { CommandError, EXIT } from "../../terminal/command-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { readCheckpoints } from "./checkpoint.ts";
import { type ComparedSession, compareCheckpoints } from "./compare-checkpoints.ts";
import { BundleChanged, type ReadBundle, readBundle } from "./read-bundle.ts";
import { readPublicKey, readText } from "./ssh-signing.ts";

export interface OutsideOptions {
  readonly file: string;
  /** The file with the public key that it must be signed with. */
  readonly key?: string | undefined;
}

const NO_KEY = "Signatures were not verified: give --key with the public key that they must be of.";

/** Compares the store with the checkpoints of a file. Returns the sessions that were changed since. */
export async function verifyCheckpoints(
  store: Store,
  { file, key }: OutsideOptions,
  terminal: Terminal,
): Promise<readonly ComparedSession[]> {
  const publicKey = key === undefined ? undefined : await readPublicKey(resolve(terminal.cwd, key));
  const checkpoints = await readCheckpoints(await readText(resolve(terminal.cwd, file)), publicKey);
  if (publicKey === undefined) terminal.note(NO_KEY);
  return compareCheckpoints(store, checkpoints);
}

/** A session for people. */
export function comparedLine({ sessionId, state, diagnostic }: ComparedSession): string {
  const why = diagnostic === undefined ? "" : `: ${diagnostic}`;
  return `${visible(sessionId)}  ${state === "changed" ? "CHANGED since the checkpoint" : state}${visible(why)}`;
}

/** Verifies a bundle, without any store. */
export async function verifyBundle({ file, key }: OutsideOptions, terminal: Terminal): Promise<number> {
  const publicKey = key === undefined ? undefined : await readPublicKey(resolve(terminal.cwd, key));
  const bytes = await readFile(resolve(terminal.cwd, file)).catch((error: Error) => {
    throw new CommandError(`${file} cannot be read: ${error.message}.`);
  });
  try {
    show(await readBundle(bytes, publicKey), terminal);
    if (publicKey === undefined) terminal.note(NO_KEY);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof BundleChanged)) throw error;
    terminal.show({ intact: false, diagnostic: error.message }, [`CHANGED: ${visible(error.message)}`]);
    return EXIT.failure;
  }
}

function show({ manifest, isSigned, sessions, approvals }: ReadBundle, terminal: Terminal): void {
  const { at, program } = manifest;
  const records = sessions.map(({ id, seq, hash, erased }) => ({
    sessionId: id,
    events: seq,
    head: hash,
    erased,
  }));
  terminal.show({ ...{ intact: true, at, program, isSigned, sessions: records, approvals } }, [
    `intact, of ${at} by ${visible(program.name)} ${visible(program.version)}${isSigned ? ", signed" : ""}`,
    ...records.map(
      ({ sessionId, events, head, erased }) =>
        `${visible(sessionId)}  ${events} events${erased > 0 ? `, ${erased} erased` : ""}, head ${head}`,
    ),
    // A signature is recorded when it comes, and again with the answer that it makes whole.
    ...new Set(
      approvals.map(
        ({ sessionId, requestId, approver, verdict, validUntil }) =>
          `${visible(sessionId)}  ${visible(requestId)}: ${verdict} signed by ${visible(approver)}${validUntil === undefined ? "" : `, whose key is valid until ${validUntil}`}`,
      ),
    ),
  ]);
}
