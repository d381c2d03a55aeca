import {
  type Approver,
  defineTool,
  type Session,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "@toolkeep/core";
import { createSessionWithPorts as createSession, effect } from "@toolkeep/core/internal";
import {
  extentAfter,
  type Journal,
  type JournalEntry,
  type JournalEvent,
  type JournalQuery,
  matchesQuery,
  NO_EXTENT,
  type PendingArguments,
  type Sidecar,
} from "@toolkeep/core/journal";

const NEVER = new Promise<never>(() => {});
const SESSION = "interleaved";

/** What survives a kill: the events that were flushed, the raw arguments, and what tools did to the outside. */
export class World {
  readonly violations: string[] = [];
  readonly #tools: readonly string[];
  /** How often each call really had its effect, by its idempotency key. */
  readonly effects = new Map<string, number>();
  readonly pending = new Map<string, string>();
  durable: readonly JournalEvent[] = [];
  /** Counts everything that happens, to tell when nothing does any more. */
  activity = 0;

  constructor(tools: readonly string[]) {
    this.#tools = tools;
  }

  /** Opens the session for the first time, or again after a kill or a close. */
  async open(): Promise<Life> {
    const life = new Life(this);
    life.session = await (this.durable.length === 0 ? createSession : createSession)({
      id: SESSION,
      tools: toolsOf(life).filter(({ name }) => this.#tools.includes(name)),
      journal: life.journal,
      pending: pendingOf(life),
      sidecar: life.sidecar,
      approver: approverOf(life),
      policy: [
        { permission: "bank.*", action: "allow" },
        { permission: "risky", action: "ask" },
        { permission: "slow_no", action: "ask" },
      ],
      limits: { maxOutputBytes: 500, graceMs: 5 },
    });
    await life.journal.flush();
    return life;
  }
}

/** One process, as far as the session can tell. */
export class Life {
  readonly world: World;
  readonly journal: HopJournal;
  readonly sidecar: HopSidecar;
  session!: Session;
  /** Set when `cancel` or `close` was called: from here on no tool of the running turn may start. */
  isStopped = false;
  isDead = false;

  constructor(world: World) {
    this.world = world;
    this.journal = new HopJournal(this, world.durable);
    this.sidecar = new HopSidecar(this);
  }

  /** Stops all of it, as when the process is killed. */
  kill(): void {
    this.isDead = true;
    this.world.durable = this.journal.events.slice(0, this.journal.durable);
  }

  /** Takes a few turns of the microtask queue, as everything does that asks the outside. */
  async hop(times: number): Promise<void> {
    this.world.activity += 1;
    for (let n = 0; n < times; n += 1) await undefined;
    if (this.isDead) await NEVER;
  }
}

/** A journal whose flush takes its time, is shared by all who ask meanwhile, and is durable before anybody hears of it. */
class HopJournal implements Journal {
  readonly #life: Life;
  readonly events: JournalEvent[];
  durable: number;
  #flushing: Promise<void> | undefined;

  constructor(life: Life, events: readonly JournalEvent[]) {
    this.#life = life;
    this.events = [...events];
    this.durable = events.length;
  }

  append(seq: number, at: number, turn: string, entry: JournalEntry): void {
    if (this.#life.isDead) return;
    const { violations } = this.#life.world;
    this.#life.world.activity += 1;
    if (this.events.at(-1)?.type === "session-close" && entry.type !== "session-open")
      violations.push(`${entry.type} after session-close`);
    const path = entry.type === "call-end" ? (entry.result.value as ToolResult).truncation?.path : undefined;
    if (path !== undefined && !this.#life.sidecar.files.has(path))
      violations.push("a result points to a sidecar that is gone");
    this.events.push({ seq, at, turn, ...entry });
  }

  flush(): Promise<void> | undefined {
    if (this.durable === this.events.length) return undefined;
    this.#flushing ??= this.#life.hop(10).then(() => {
      this.#flushing = undefined;
      this.durable = this.events.length;
    });
    return this.#flushing.then(() => this.#life.hop(2));
  }

  async *read(query?: JournalQuery): AsyncGenerator<JournalEvent> {
    await this.#life.hop(1);
    for (const event of [...this.events]) if (matchesQuery(event, query)) yield event;
  }

  extent() {
    let extent = NO_EXTENT;
    for (const event of this.events) extent = extentAfter(extent, event);
    return extent;
  }
}

class HopSidecar implements Sidecar {
  readonly #life: Life;
  readonly files = new Map<string, string>();

  constructor(life: Life) {
    this.#life = life;
  }

  async open(callId: string) {
    await this.#life.hop(2);
    const path = `sidecar/${callId}`;
    this.files.set(path, "");
    return { path, write: () => this.#life.hop(2), close: () => this.#life.hop(1) };
  }

  async read(): Promise<undefined> {
    return undefined;
  }

  async clear(): Promise<void> {
    await this.#life.hop(1);
    this.files.clear();
  }
}

function pendingOf(life: Life): PendingArguments {
  const { pending } = life.world;
  return {
    put: async (key, text) => {
      await life.hop(1);
      pending.set(key, text);
      await life.hop(1);
    },
    get: (key) => life.hop(1).then(() => pending.get(key)),
    delete: async (key) => {
      await life.hop(1);
      pending.delete(key);
    },
  };
}

/** Answers calls of `risky` from elsewhere, and those of `slow_no` with a no that takes a while. */
function approverOf(life: Life): Approver {
  return {
    approve: async ({ toolName }) => {
      await life.hop(6);
      return toolName === "risky" ? "later" : { verdict: "reject", by: "approver" };
    },
    answer: async () => {
      await life.hop(3);
      return "later";
    },
  };
}

function toolsOf(life: Life): readonly Tool[] {
  const acting = (name: string, capability: string, act: (ctx: ToolContext) => unknown) =>
    defineTool({
      name,
      description: name,
      inputSchema: { type: "object" },
      requires: { capabilities: [capability] },
      effects: () => [effect(capability, "x")],
      execute: async (_args, ctx) => {
        if (life.isDead) return NEVER;
        if (life.isStopped) life.world.violations.push(`${name} started after it was stopped`);
        return act(ctx as ToolContext);
      },
    }) as Tool;
  const once = async ({ idempotencyKey: key }: ToolContext) => {
    await life.hop(2);
    life.world.effects.set(key, (life.world.effects.get(key) ?? 0) + 1);
    await life.hop(2);
    return "done";
  };
  return [
    acting("pay", "bank.pay", once),
    acting("risky", "risk.take", once),
    acting("slow_no", "risk.slow", once),
    acting("big", "bank.list", () => life.hop(1).then(() => "x".repeat(2_000))),
    acting("outer", "bank.outer", async (ctx) => (await ctx.call("pay", {})).data),
    acting("curious", "bank.ask", async (ctx) => {
      const [answer] = await ctx.ask([{ question: "Which?" }]);
      return answer?.[0];
    }),
  ];
}
