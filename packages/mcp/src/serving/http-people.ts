import { canonicalJson } from "@toolkeep/core/internal";
import type { Person } from "@toolkeep/core/ports";
import { HttpClients, type HttpParts, IDLE_MS } from "./http-clients.ts";

/** What one person is served. */
export interface PersonParts {
  readonly http: HttpParts;
  /** Ends the session of this person. */
  close(): Promise<void>;
}

export interface HttpPeopleOptions {
  /** Opens the session of a person. */
  open(person: Person): Promise<PersonParts>;
  onNote(note: string): void;
  /** How long a person is kept without a request. */
  readonly idleMs?: number;
}

const MOST_PRINCIPALS = 100;
/** One person with different groups, or through different clients. */
const MOST_OF_ONE_PERSON = 5;
const MOST_SESSIONS = 20;
/** Requests and streams of one principal that are open at a time. */
const MOST_OPEN = 50;

interface Present {
  readonly id: string;
  readonly opened: Promise<Opened>;
  /** Missing until it is opened. */
  clients?: HttpClients;
  /** Requests that wait until it is opened. */
  waiting: number;
}

interface Opened extends PersonParts {
  readonly clients: HttpClients;
}

/** The people who are served, each with a session, clients and limits: one takes nothing from another. */
export class HttpPeople {
  readonly #options: HttpPeopleOptions;
  readonly #present = new Map<string, Present>();
  readonly #closing = new Map<string, Promise<void>>();
  readonly #timer: ReturnType<typeof setInterval>;
  #isClosed = false;

  constructor(options: HttpPeopleOptions) {
    this.#options = options;
    const { idleMs = IDLE_MS } = options;
    this.#timer = setInterval(() => this.#endIdle(Date.now() - idleMs), Math.min(idleMs, 60_000));
    this.#timer.unref();
  }

  /** Calls `use` with the clients of a person. Returns a sentence if that is not possible now. */
  async with(person: Person, use: (clients: HttpClients) => Promise<void>): Promise<string | undefined> {
    const key = canonicalJson([person.id, person.principal]);
    await this.#closing.get(key);
    const present = this.#present.get(key) ?? this.#enter(key, person);
    if (present === undefined) return "Too many people are using this gateway. Try again later.";
    present.waiting += 1;
    let used: Promise<void>;
    try {
      const { clients } = await present.opened;
      if (clients.open >= MOST_OPEN) return "Too many requests of yours are open. End one of them first.";
      used = use(clients);
    } finally {
      present.waiting -= 1;
    }
    await used;
    return undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const key of [...this.#present.keys()]) this.#end(key);
    await Promise.all(this.#closing.values());
  }

  #enter(key: string, person: Person): Present | undefined {
    if (this.#isClosed) return undefined;
    const ofPerson = [...this.#present].filter(([, { id }]) => id === person.id);
    if (ofPerson.length >= MOST_OF_ONE_PERSON && !this.#endOldest(ofPerson)) return undefined;
    if (this.#present.size >= MOST_PRINCIPALS && !this.#endOldest([...this.#present])) return undefined;
    const present: Present = { id: person.id, waiting: 0, opened: this.#open(person) };
    this.#present.set(key, present);
    present.opened.then(
      ({ clients }) => {
        present.clients = clients;
      },
      // A session that could not be opened is tried again with the next request.
      () => this.#present.delete(key),
    );
    return present;
  }

  async #open(person: Person): Promise<Opened> {
    const parts = await this.#options.open(person);
    return { ...parts, clients: new HttpClients(parts.http, { mostSessions: MOST_SESSIONS }) };
  }

  /** Ends the one that was idle longest; `false` if all are in use. */
  #endOldest(among: readonly (readonly [string, Present])[]): boolean {
    const idle = among.filter(([, present]) => isIdle(present));
    const [oldest] = idle.toSorted(([, one], [, other]) => usedAt(one) - usedAt(other));
    if (oldest !== undefined) this.#end(oldest[0]);
    return oldest !== undefined;
  }

  #endIdle(before: number): void {
    for (const [key, present] of this.#present)
      if (isIdle(present) && usedAt(present) < before) this.#end(key);
  }

  /** The next request under this key waits until its session is closed. */
  #end(key: string): void {
    const present = this.#present.get(key);
    if (present === undefined) return;
    this.#present.delete(key);
    const closed = present.opened
      .then(async ({ clients, close }) => {
        await clients.close();
        await close();
      })
      .catch(() => this.#options.onNote("The session of a person did not end as it should."))
      .finally(() => this.#closing.delete(key));
    this.#closing.set(key, closed);
  }
}

function isIdle({ clients, waiting }: Present): boolean {
  return clients !== undefined && clients.open === 0 && waiting === 0;
}

function usedAt({ clients }: Present): number {
  return clients?.usedAt ?? Date.now();
}
