import { connect, type Socket } from "node:net";
import { ToolFailure } from "@toolkeep/core";
import { defined } from "@toolkeep/core/internal";
import {
  CONTROL,
  type PlaceAnswers,
  type PlaceQuestion,
  type PlaceReply,
  readMessages,
  sendMessage,
} from "./place-protocol.ts";

export function unavailable(reason: string, hint?: string): ToolFailure {
  const message = `The place for commands of this project cannot be opened: ${reason}.`;
  return new ToolFailure("unavailable", message, defined({ hint }));
}

const ANSWERED_WITHIN_MS = 20_000;

/** A connection to the keeper of a place. It keeps this process alive only while an answer is waited for. */
export class PlaceLink {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, PromiseWithResolvers<PlaceReply>>();
  #lastId = 0;
  isLost = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    readMessages<PlaceReply>(socket, (reply) => this.#receive(reply));
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
  async ask<Question extends PlaceQuestion>(question: Question): Promise<PlaceAnswers[Question["do"]]> {
    if (this.isLost) throw ended();
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<PlaceReply>();
    this.#waiting.set(id, waiting);
    this.#socket.ref();
    sendMessage(this.#socket, { ...question, id });
    // A keeper that does not answer is as one that is gone.
    const timer = setTimeout(() => this.#socket.destroy(), ANSWERED_WITHIN_MS);
    const { refused, answer } = await waiting.promise.finally(() => clearTimeout(timer));
    if (refused !== undefined) throw unavailable(refused);
    return answer as PlaceAnswers[Question["do"]];
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
