import { linkSync, lstatSync, renameSync, unlinkSync } from "node:fs";
import { connect, type Server } from "node:net";
import { FrameReader, frameOf } from "./frames.ts";
import { MOST_REPLY_BYTES, PING } from "./protocol.ts";
import { socketState } from "./run-folder.ts";

const PING_MS = 700;

/**
 * Listens, and puts the socket at its path in one step, so that a client never finds half of it. `undefined` if another
 * decider answers there. A socket that does not answer is replaced: its decider was killed, or hangs. Of two that
 * replace it at once, the last one has it, and the other one finds out.
 */
export async function claimSocket(server: Server, path: string): Promise<OwnSocket | undefined> {
  const draft = `${path}.${process.pid}`;
  remove(draft);
  await listening(server, draft);
  try {
    if (isLinked(draft, path)) return ownSocket(path);
    if ((await answers(path)) || socketState(path) === "foreign") return undefined;
    renameSync(draft, path);
    return ownSocket(path);
  } finally {
    remove(draft);
  }
}

export interface OwnSocket {
  /** Whether the socket at the path is still this one. */
  isThere(): boolean;
  /** Removes it, unless another one is there. */
  remove(): void;
}

function ownSocket(path: string): OwnSocket {
  const own = identityOf(path);
  const isThere = () => own !== undefined && identityOf(path) === own;
  return {
    isThere,
    remove() {
      if (isThere()) remove(path);
    },
  };
}

function identityOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev}:${found.ino}:${found.isSocket()}`;
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** `false` if something is at the path. */
function isLinked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Whether a decider answers at the path. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const reader = new FrameReader(MOST_REPLY_BYTES);
    const done = (isThere: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isThere);
    };
    const timer = setTimeout(() => done(false), PING_MS);
    socket.on("error", () => done(false)).on("close", () => done(false));
    socket.on("data", (piece: Buffer) => {
      try {
        if (reader.push(piece).length > 0) done(true);
      } catch {
        done(false);
      }
    });
    socket.write(frameOf(PING));
  });
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone already.
  }
}
