import { defined } from "@toolkeep/core/internal";
import type { Message } from "@toolkeep/core/journal";
import type { KeptValues } from "./kept-values.ts";

/** A message of the user that the next step sees, and its number among those that the run keeps. */
export interface ReceivedMessage extends Message {
  readonly given?: number;
  /** What the store calls it, which keeps it until it is recorded. */
  readonly left?: string;
}

interface SteeringParts {
  readonly mode: "one" | "all";
  /** Gives the session a message: it looks for them where its strategy says. */
  send(message: Message): void;
  /** What the store calls a message that it keeps. */
  idOf(message: Message): string | undefined;
  /** Durable from here on. */
  flush(): Promise<void> | undefined;
}

/** The run that messages belong to. */
interface SteeredRun {
  readonly id: string;
  readonly kept: KeptValues;
  /** How many it has been given. */
  given: number;
}

/**
 * The messages of the user on their way to the model. With `one` the session has at most one at a time, and each step
 * sees one. What is given to a run is kept with it at once: a later process gives it to the model once.
 */
export class Steering {
  readonly #parts: SteeringParts;
  /** What no step has received, with the numbers under which the run keeps it. */
  readonly #unreceived = new Map<Message, number | undefined>();
  readonly #queue: Message[] = [];
  #run: SteeredRun | undefined;
  #isOffered = false;

  constructor(parts: SteeringParts) {
    this.#parts = parts;
  }

  /** A message of the user. Between two runs it is kept in memory, until the next one begins. */
  add(text: string): void {
    const message = { text };
    this.#keep(message);
    this.#pass(message);
  }

  /** A message that is made again after a crash: it is not kept. */
  report(text: string): void {
    this.#pass({ text });
  }

  /** A run begins or continues: what earlier processes were given, and no step has received, is given again. */
  async begin(id: string, kept: KeptValues, received: ReadonlySet<number>): Promise<void> {
    const texts = await kept.given();
    const isKnown = this.#run?.id === id;
    this.#run = { id, kept, given: texts.length };
    if (isKnown) return;
    const before = [...this.#unreceived.keys()];
    for (const message of before) this.#keep(message);
    for (const [number, text] of texts.entries()) {
      if (received.has(number)) continue;
      const message = { text };
      this.#unreceived.set(message, number);
      this.#pass(message);
    }
  }

  /** The run is over, and what it kept is removed. */
  end(): void {
    this.#run = undefined;
  }

  /** Of the messages that the session took, those that the next step sees. */
  deliver(arrived: readonly Message[]): readonly ReceivedMessage[] {
    if (this.#parts.mode === "all") return this.deliverAll(arrived);
    const [first, ...rest] = arrived;
    for (const message of rest)
      if (!this.#unreceived.has(message) && this.#parts.idOf(message) === undefined) this.#keep(message);
    this.#queue.unshift(...rest);
    return this.deliverAll(first === undefined ? [] : [first]);
  }

  /** All messages that the session took: the run does not go on here. */
  deliverAll(arrived: readonly Message[]): readonly ReceivedMessage[] {
    if (arrived.length > 0) this.#isOffered = false;
    const received = arrived.map((message) => this.#received(message));
    this.#offer();
    return received;
  }

  #received(message: Message): ReceivedMessage {
    const given = this.#unreceived.get(message);
    this.#unreceived.delete(message);
    const left = this.#parts.idOf(message);
    return { text: message.text, ...defined({ given, left }) };
  }

  #keep(message: Message): void {
    const run = this.#run;
    this.#unreceived.set(message, run?.given);
    if (run === undefined) return;
    const kept = run.kept.keepGiven(run.given, message.text).then(() => this.#parts.flush());
    run.given += 1;
    // What cannot be kept now fails the run with its next reply, which is kept in the same place.
    kept.catch(() => undefined);
  }

  #pass(message: Message): void {
    if (this.#parts.mode === "all") this.#parts.send(message);
    else {
      this.#queue.push(message);
      this.#offer();
    }
  }

  #offer(): void {
    const next = this.#isOffered ? undefined : this.#queue.shift();
    if (next === undefined) return;
    this.#isOffered = true;
    this.#parts.send(next);
  }
}
