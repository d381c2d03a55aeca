import { setImmediate as immediate } from "node:timers/promises";
import type { GivenAnswer, Session, TurnOutcome } from "@toolkeep/core";
import { type Ending, violationsIn } from "./invariants.ts";
import { type Life, World } from "./world.ts";

/** What runs, and what is asked in it. */
export interface Scene {
  readonly tools: readonly string[];
  readonly start: (session: Session, signal: AbortSignal) => Promise<unknown>;
  /** The request that is answered in it, and with what: of the two answers one may be accepted. */
  readonly request?: { readonly id: string; readonly answers: readonly GivenAnswer[] };
  /** A turn that can be resumed in another life. */
  readonly isBatch?: boolean;
}

const turnId = "turn";
const YES_OR_NO = [
  { verdict: "once", by: "first" },
  { verdict: "reject", by: "second" },
] as const;

function one(tool: string, ...others: readonly string[]): Scene {
  const call = { id: "c", name: tool, arguments: {} };
  return {
    tools: [tool, ...others],
    start: (session, signal) => session.call(call, { id: turnId, signal }),
  };
}

const BATCH = ["pay", "risky", "big"];

export const SCENES: Readonly<Record<string, Scene>> = {
  "a call": one("pay"),
  "a large result": one("big"),
  "a call in a call": one("outer", "pay"),
  "an answer from elsewhere": { ...one("risky"), request: { id: "turn/c", answers: YES_OR_NO } },
  "an approver and an answer": { ...one("slow_no"), request: { id: "turn/c", answers: YES_OR_NO } },
  "a question": {
    ...one("curious"),
    request: { id: "turn/c/question/1", answers: [[["this"]], [["that"]]] },
  },
  "a batch": {
    tools: BATCH,
    start: (session, signal) =>
      session.run(
        BATCH.map((name, index) => ({ id: `c${index}`, name, arguments: {} })),
        { id: turnId, signal },
      ),
    request: { id: "turn/c1", answers: YES_OR_NO },
    isBatch: true,
  },
};

export type Action = "cancel" | "signal" | "close" | "answer" | "kill";

/** What is done, and how many turns of the microtask queue after what came before it; or as soon as something is asked. */
export interface Act {
  readonly action: Action;
  readonly after: number | "asked";
}

/** What one run came to. `isOver`: the scene was through, or stood still, before an act. */
interface Ran {
  readonly isOver: boolean;
  readonly violations: readonly string[];
}

/** What does not move for so many turns of the queue waits for something that is no promise. */
const STILL = 40;
const MOST_WAITS = 400;

/** Runs a scene, acts in between, lets everything end, and holds what is left against what must always be so. */
export async function interleave(scene: Scene, acts: readonly Act[]): Promise<Ran> {
  const run = new Run(scene, await new World(scene.tools).open());
  let isOver = false;
  for (const { action, after } of acts) {
    isOver = (await run.until(after)) || isOver;
    await run.act(action);
  }
  const ending = await run.finish();
  return { isOver, violations: [...run.life.world.violations, ...violationsIn(ending)] };
}

class Run {
  readonly #scene: Scene;
  readonly #controller = new AbortController();
  readonly #running: Promise<void>;
  readonly #doing: Promise<unknown>[] = [];
  readonly #accepted: GivenAnswer[] = [];
  life: Life;
  #isSettled = false;
  #outcome: unknown;
  #isClosing = false;
  #isStopped = false;
  #isKilled = false;

  constructor(scene: Scene, life: Life) {
    this.#scene = scene;
    this.life = life;
    this.#running = this.#settled(scene.start(life.session, this.#controller.signal));
  }

  /** Whether the scene was through, or stood still, before that. */
  async until(after: Act["after"]): Promise<boolean> {
    const { world, journal } = this.life;
    let [seen, still] = [world.activity, 0];
    const isReached = (tick: number) =>
      after === "asked" ? journal.events.some(({ type }) => type.endsWith("-request")) : tick >= after;
    for (let tick = 0; !isReached(tick); tick += 1) {
      if (this.#isSettled || still > STILL * 3) return true;
      await (still > STILL && still % 10 === 0 ? immediate() : undefined);
      still = world.activity === seen ? still + 1 : 0;
      seen = world.activity;
    }
    return false;
  }

  async act(action: Action): Promise<void> {
    if (action === "kill") return this.#kill();
    if (action === "answer") return this.#answerTwice();
    if (action === "signal") this.#controller.abort();
    if (action === "cancel") this.life.session.cancel();
    if (action === "close") this.#close();
    this.#isStopped = true;
    this.life.isStopped = !this.#isSettled;
  }

  /** Lets everything end, in a later life where this one is over, and answers what is asked. */
  async finish(): Promise<Ending> {
    if (!this.#isKilled) {
      await this.#drain(this.#running);
      await Promise.all(this.#doing);
      this.life.isStopped = false;
    }
    if (this.#isClosing && this.#scene.isBatch) {
      this.life.world.durable = this.life.journal.events;
      this.life = await this.life.world.open();
    }
    if (this.#scene.isBatch) await this.#resume();
    await this.life.session.close();
    for (let n = 0; n < 3; n += 1) await immediate();
    return {
      world: this.life.world,
      events: this.life.journal.events,
      isBatch: this.#scene.isBatch === true,
      isKilled: this.#isKilled,
      isStopped: this.#isStopped,
      accepted: this.#accepted,
    };
  }

  async #kill(): Promise<void> {
    this.#isKilled = true;
    this.#isClosing = false;
    this.life.kill();
    this.life = await this.life.world.open();
  }

  #close(): void {
    const { world } = this.life;
    this.#isClosing = true;
    const closed = this.life.session.close().then(async () => {
      await immediate();
      if (!this.#isSettled) world.violations.push("close did not wait for the turn");
    });
    this.#doing.push(closed);
  }

  #answerTwice(): void {
    const { id, answers } = this.#scene.request ?? { id: "turn/c", answers: YES_OR_NO };
    const { life } = this;
    for (const answer of answers) {
      const given = life.session.answer(id, answer).then(
        // What a killed process still does has no effect.
        () => life.isDead || this.#accepted.push(answer),
        () => undefined,
      );
      this.#doing.push(given);
    }
  }

  async #drain(done: Promise<unknown>): Promise<void> {
    let isDone = false;
    const ended = done.then(() => {
      isDone = true;
    });
    for (let waits = 0; !isDone && waits < MOST_WAITS; waits += 1) {
      await Promise.race([ended, immediate()]);
      if (waits % 8 === 7 && !isDone) await this.#answerOpen();
      if (waits > 40) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    if (!isDone) this.life.world.violations.push("it hangs");
  }

  async #answerOpen(): Promise<void> {
    for (const request of await this.life.session.waiting())
      await this.life.session
        .answer(request.id, "questions" in request ? [["late"]] : { verdict: "once", by: "late" })
        .catch(() => {});
  }

  async #resume(): Promise<void> {
    for (let tries = 0; tries < 3; tries += 1) {
      await this.#answerOpen();
      if (!this.life.journal.events.some(({ type }) => type === "turn-start")) return;
      await this.#drain(this.#settled(this.life.session.resume(turnId)));
      if ((this.#outcome as TurnOutcome | undefined)?.status !== "waiting") return;
    }
    this.life.world.violations.push("a turn whose requests are answered parks again");
  }

  async #settled(turn: Promise<unknown>): Promise<void> {
    try {
      this.#outcome = await turn;
    } catch (error) {
      this.#outcome = error;
    }
    this.#isSettled = true;
  }
}
