import { type ChildProcessByStdio, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { FROM_SOURCE } from "../from-source.ts";
import { agentOf } from "./fix-script.ts";
import type { AskedStep } from "./model-server.ts";
import { effectsIn, holdCommands } from "./sample-repository.ts";
import type { StoredState } from "./stored-state.ts";

const AGENTS = ["root", "reviewer"] as const;

/** What can be in flight: a step of the model, a call that is soon over, a command, a request to a person. */
export type Kind = "model" | "call" | "command" | "person";

/** Something that began and is not over. */
interface InFlight {
  readonly kind: Kind;
  readonly agent: string;
}

/** When a process is killed: once so many of these have begun, and something is in flight. */
export interface KillPoint {
  /** What begins. Default: anything. A command is killed after its effect, and before its end. */
  readonly at?: Exclude<Kind, "call">;
  /** Whose it is. Default: of any agent. */
  readonly of?: (typeof AGENTS)[number];
  /** Default: 1. */
  readonly nth?: number;
  /** How long after that. Default: at once. */
  readonly pauseMs?: number;
}

/** What a process gets to work with. */
interface LifeInput {
  readonly root: string;
  readonly store: string;
  readonly baseUrl: string;
  /** Every call may be run again, so that no intent is written down. */
  readonly isGateOff: boolean;
}

const LONGEST_THOUGHT_MS = 60;

/** One process of an agent: until it is killed, or its work is done. */
export class KilledLife {
  /** What it said, and what its model was asked. */
  readonly lines: string[] = [];
  readonly asked: AskedStep[] = [];
  /** Resolves when the process is gone and everything that it said has been read. */
  readonly over: Promise<void>;
  readonly #input: LifeInput;
  readonly #point: KillPoint | undefined;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #effects: number;
  #begun = 0;
  #thoughts = 0;
  #state: "alive" | "doomed" | "due" = "alive";

  /** Without a point it works until it is done. */
  constructor(input: LifeInput, point: KillPoint | undefined) {
    this.#input = input;
    this.#point = point;
    this.#effects = effectsIn(input.root);
    this.#hold(true);
    const program = join(import.meta.dirname, "work-on-sample.ts");
    const argv = [...FROM_SOURCE, program, JSON.stringify(input)];
    this.#process = spawn(process.execPath, argv, { stdio: ["pipe", "pipe", "pipe"] });
    this.over = this.#live();
  }

  /** Whether it could not open its workspace and did nothing, as it happens on a machine with too much to do. */
  get isStillborn(): boolean {
    return this.#process.signalCode === null && this.lines.length === 0 && this.asked.length === 0;
  }

  get isFinished(): boolean {
    return this.lines.some((line) => line.startsWith("end done"));
  }

  /** What has begun here and, by what the store says now, was not over. */
  inFlight({ waiting, ended, replies }: StoredState): readonly InFlight[] {
    const models = this.asked.map(({ prompt, step }) => `${agentOf(prompt)} ${step}`);
    return [
      ...this.said("asked").flatMap((rest) => (waiting.has(wordOf(rest, 1)) ? [began("person", rest)] : [])),
      ...this.said("call").flatMap((rest) => (ended.has(firstTwo(rest)) ? [] : [began(kindOf(rest), rest)])),
      ...models.flatMap((step) => (replies.has(step) ? [] : [began("model", step)])),
    ];
  }

  /** Whether it seems so while the process lives. */
  get #isBusy(): boolean {
    const over = new Set([...this.said("answered"), ...this.said("done")]);
    return (
      this.#thoughts > 0 ||
      this.said("asked").some((rest) => !over.has(rest)) ||
      this.said("call").some((rest) => !over.has(firstTwo(rest)))
    );
  }

  said(word: string): readonly string[] {
    return this.lines
      .filter((line) => line.startsWith(`${word} `))
      .map((line) => line.slice(word.length + 1));
  }

  /** The model is asked. It thinks for a while, and where the process is to be killed meanwhile, until then. */
  async think(asked: AskedStep): Promise<void> {
    this.asked.push(asked);
    this.#thoughts += 1;
    const isPoint = this.#begins({ kind: "model", agent: agentOf(asked.prompt) });
    await (isPoint && this.#point?.at === "model" ? this.over : pause(Math.random() * LONGEST_THOUGHT_MS));
    this.#thoughts -= 1;
  }

  async #live(): Promise<void> {
    const { stdin, stdout, stderr } = this.#process;
    const errors: Buffer[] = [];
    stderr.on("data", (chunk: Buffer) => errors.push(chunk));
    stdin.on("error", () => {});
    const closed = new Promise<void>((resolve) => this.#process.once("close", () => resolve()));
    for await (const line of createInterface({ input: stdout })) {
      this.lines.push(line);
      if (line.startsWith("call ")) this.#begins(began(kindOf(line.slice(5)), line.slice(5)));
      if (!line.startsWith("asked ")) continue;
      this.#begins(began("person", line.slice(6)));
      // A question that is asked after that stays open.
      if (this.#state === "alive") stdin.write("\n");
    }
    await closed;
    this.#hold(false);
    const told = Buffer.concat(errors).toString();
    if (this.isStillborn && told.includes("could not be started")) return;
    if (!this.isFinished && this.#process.signalCode !== "SIGKILL")
      throw new Error(`The agent ended by itself: ${this.lines.join("; ")} ${told}`);
  }

  /** Whether it is the point at which the process is to be killed. */
  #begins({ kind, agent }: InFlight): boolean {
    if (this.#state === "due") this.#kill();
    if (this.#state !== "alive" || this.#point === undefined) return false;
    const { at = kind, of = agent, nth = 1 } = this.#point;
    if (at !== kind || of !== agent) return false;
    this.#begun += 1;
    if (this.#begun < nth) return false;
    this.#state = "doomed";
    void this.#killSoon(this.#point);
    return true;
  }

  /** If nothing is in flight by then, the process is killed with the next that begins. */
  async #killSoon({ at, pauseMs = 0 }: KillPoint): Promise<void> {
    if (at === "command") await this.#effect();
    if (pauseMs > 0) await pause(pauseMs);
    if (this.#isBusy) this.#kill();
    else this.#state = "due";
  }

  /** Each command that has begun leaves a line. */
  async #effect(): Promise<void> {
    const commands = this.said("call").filter((rest) => kindOf(rest) === "command").length;
    while (effectsIn(this.#input.root) < this.#effects + commands && this.#process.exitCode === null)
      await pause(10);
  }

  #kill(): void {
    this.#process.kill("SIGKILL");
  }

  #hold(isHeld: boolean): void {
    if (this.#point?.at !== "command") return;
    for (const agent of AGENTS)
      if ((this.#point.of ?? agent) === agent) holdCommands(this.#input.root, agent, isHeld);
  }
}

function began(kind: Kind, rest: string): InFlight {
  return { kind, agent: wordOf(rest, 0) };
}

function wordOf(rest: string, index: number): string {
  return rest.split(" ")[index] ?? "";
}

function kindOf(rest: string): Kind {
  return rest.endsWith(" bash") ? "command" : "call";
}

function firstTwo(rest: string): string {
  return rest.split(" ").slice(0, 2).join(" ");
}
