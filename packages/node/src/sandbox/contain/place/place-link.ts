import { chownSync, closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { ToolFailure } from "@toolkeep/core";
import { messageReader } from "../../../processes/spawner-protocol.ts";
import { CONTROL, lineOf, type PlaceReply, type PlaceRequest } from "./place-protocol.ts";

export function unavailable(reason: string, hint?: string): ToolFailure {
  return new ToolFailure(
    "unavailable",
    `The place for commands of this project cannot be opened: ${reason}.`,
    hint === undefined ? {} : { hint },
  );
}

const GIVEN_WITHIN_MS = 100;
const ANSWERED_WITHIN_MS = 20_000;
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/**
 * Opens the folder, which is made if it is missing. It is used through what was opened, so that no other
 * one can take its stead.
 * @throws ToolFailure `unavailable` if it is a link, is another user's, or is open to others.
 */
export async function openStateFolder(folder: string, user: { uid: number; gid: number }): Promise<number> {
  const isMade = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
  if (process.getuid?.() === 0 && user.uid !== 0) {
    if (isMade) chownSync(folder, user.uid, user.gid);
    // Another process has made it just now, and has yet to give it away.
    else if (lstatSync(folder).uid === 0) await wait(GIVEN_WITHIN_MS);
  }
  let descriptor: number;
  try {
    descriptor = openSync(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    throw unavailable(`${folder} is not a folder (${(error as NodeJS.ErrnoException).code})`);
  }
  const { uid, mode } = fstatSync(descriptor);
  if (uid === user.uid && (mode & 0o077) === 0) return descriptor;
  closeSync(descriptor);
  throw unavailable(
    uid === user.uid ? `${folder} is open to other users` : `${folder} belongs to user ${uid}`,
    "Remove that folder, or take its rights away from others with `chmod 700`.",
  );
}

type Asked = PlaceRequest extends infer One ? (One extends { id: number } ? Omit<One, "id"> : never) : never;

/** A connection to the keeper of a place. It keeps this process alive only while an answer is waited for. */
export class PlaceLink {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, PromiseWithResolvers<PlaceReply>>();
  #lastId = 0;
  isLost = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const read = messageReader<PlaceReply>((reply) => this.#receive(reply));
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      try {
        read(chunk);
      } catch {
        socket.destroy();
      }
    });
    socket.on("error", () => {});
    socket.once("close", () => this.#lose());
    socket.unref();
  }

  /** `undefined` if no keeper listens. The path is short however long the folder's is, as sockets need it. */
  static open(descriptor: number): Promise<PlaceLink | undefined> {
    const { promise, resolve } = Promise.withResolvers<PlaceLink | undefined>();
    const socket = connect(`/proc/self/fd/${descriptor}/${CONTROL}`);
    socket.once("connect", () => resolve(new PlaceLink(socket)));
    socket.once("error", () => resolve(undefined));
    return promise;
  }

  /** @throws ToolFailure `unavailable` if the keeper refuses, or is gone. */
  async ask(request: Asked): Promise<PlaceReply> {
    if (this.isLost) throw ended();
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<PlaceReply>();
    this.#waiting.set(id, waiting);
    this.#socket.ref();
    this.#socket.write(lineOf({ ...request, id }));
    // A keeper that does not answer is as one that is gone.
    const timer = setTimeout(() => this.#socket.destroy(), ANSWERED_WITHIN_MS);
    const reply = await waiting.promise.finally(() => clearTimeout(timer));
    if (reply.is === "refused") throw unavailable(reply.reason);
    return reply;
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(reply: PlaceReply): void {
    this.#waiting.get(reply.id)?.resolve(reply);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#socket.unref();
  }

  #lose(): void {
    this.isLost = true;
    for (const { reject } of this.#waiting.values()) reject(ended());
    this.#waiting.clear();
  }
}

function ended(): ToolFailure {
  return unavailable("it has ended", "Run the command again: it gets a new one.");
}
