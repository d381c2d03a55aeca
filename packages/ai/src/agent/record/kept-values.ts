import type { SessionRecord } from "@toolkeep/core/internal";
import type { ModelMessage } from "ai";
import type { ModelReply } from "../options/model-reply.ts";
import type { RecordedStep } from "./recorded-runs.ts";

/**
 * What a run keeps raw while it is unfinished, with the pending arguments of its session: what the user said, the
 * replies of the model, and conversations that were made shorter. The journal has the same without secrets.
 */
export class KeptValues {
  readonly #prefix: string;
  readonly #pending: SessionRecord["pending"];
  readonly #keys = new Set<string>();

  constructor(sessionId: string, run: string, pending: SessionRecord["pending"]) {
    this.#prefix = `${sessionId}/${run}`;
    this.#pending = pending;
  }

  async message(index: number): Promise<string | undefined> {
    return this.#get(`u${index}`);
  }

  async keepMessage(index: number, text: string): Promise<void> {
    await this.#put(`u${index}`, text);
  }

  /** What the user said while the run was at work, in the order it was given. */
  async given(): Promise<readonly string[]> {
    const texts: string[] = [];
    for (;;) {
      const text = await this.#get(`s${texts.length}`);
      if (text === undefined) return texts;
      texts.push(text);
    }
  }

  async keepGiven(number: number, text: string): Promise<void> {
    await this.#put(`s${number}`, text);
  }

  async reply(step: number): Promise<ModelReply | undefined> {
    const text = await this.#get(`m${step}`);
    return text === undefined ? undefined : (JSON.parse(text) as ModelReply);
  }

  async keepReply(step: number, reply: ModelReply): Promise<void> {
    await this.#put(`m${step}`, JSON.stringify(reply));
  }

  async conversation(step: number): Promise<readonly ModelMessage[] | undefined> {
    const text = await this.#get(`c${step}`);
    return text === undefined ? undefined : (JSON.parse(text) as ModelMessage[]);
  }

  async keepConversation(step: number, messages: readonly ModelMessage[]): Promise<void> {
    await this.#put(`c${step}`, JSON.stringify(messages));
  }

  /** Finds what an earlier process kept, so that it is forgotten too. */
  async find(steps: readonly Pick<RecordedStep, "step" | "messages">[]): Promise<this> {
    for (const { step, messages } of steps) {
      const names = [`m${step}`, `c${step}`, ...messages.map(({ index }) => `u${index}`)];
      for (const name of names) await this.#get(name);
    }
    await this.given();
    return this;
  }

  /** The run is over: nothing of it is read again. */
  async forget(): Promise<void> {
    for (const key of this.#keys) await this.#pending.delete(key);
    this.#keys.clear();
  }

  async #get(name: string): Promise<string | undefined> {
    const key = `${this.#prefix}/${name}`;
    const value = await this.#pending.get(key);
    if (value !== undefined) this.#keys.add(key);
    return value;
  }

  async #put(name: string, value: string): Promise<void> {
    const key = `${this.#prefix}/${name}`;
    this.#keys.add(key);
    await this.#pending.put(key, value);
  }
}
