import { isBeneath } from "../contract/values/path-within.ts";

/** What one call needs for itself: shared with other readers, or exclusively. */
export interface LockKey {
  readonly access: "share" | "exclude";
  /** A canonical path or the name of a resource. */
  readonly resource: string;
  /** The lock covers everything beneath the resource too. */
  readonly subtree: boolean;
}

/** A position in the queue. The earlier of two tickets for the same goes first. */
export interface LockTicket {
  /** Nothing to wait for when `undefined`. `abandoned`: an earlier call parked, and this one must wait for another turn. */
  readonly granted: Promise<"granted" | "abandoned"> | undefined;
  /** It waits for something else before it begins. Calls inside others may pass it: `granted` must be asked again. */
  stepAside(): void;
  /** The holder acts now. */
  begin(): void;
  /** Other keys. Does nothing after `release`. */
  move(keys: readonly LockKey[]): void;
  /** Must be called, also by a call that gave up waiting. Safe to call twice. */
  release(how?: "done" | "abandoned"): void;
}

/** Orders calls by what they touch: readers share, writers exclude, first come first served. */
export interface EffectLocks {
  /**
   * Takes a ticket now; the order of these calls is the order of service. A call made inside another
   * does not wait for that other one, nor for those who do.
   */
  request(keys: readonly LockKey[], inside?: LockTicket): LockTicket;
}

export function createEffectLocks(): EffectLocks {
  const table = new Table();
  return {
    request(keys, inside) {
      const ticket = new Ticket(table, inside);
      ticket.move(keys);
      return ticket;
    },
  };
}

/** All tickets that are taken. A new ticket comes after all of them, so their own order means nothing. */
class Table {
  readonly #tickets: Ticket[] = [];
  #writers = 0;
  #taken = 0;

  nextOrder(): number {
    this.#taken += 1;
    return this.#taken;
  }

  /** The first ticket goes first, also after a change of keys; a call that has begun is not stopped. */
  enter(ticket: Ticket): void {
    if (ticket.isWriter || this.#writers > 0) {
      for (const other of this.#tickets) {
        if (!conflicts(other.keys, ticket.keys) || ticket.isWithin(other)) continue;
        const isBehind = other.order > ticket.order && !other.hasBegun;
        if (isBehind || ticket.mayPass(other)) ticket.holdUp(other);
        else other.holdUp(ticket);
      }
    }
    ticket.index = this.#tickets.length;
    this.#tickets.push(ticket);
    if (ticket.isWriter) this.#writers += 1;
  }

  leave(ticket: Ticket): boolean {
    if (ticket.index === NOWHERE) return false;
    const last = this.#tickets.pop() as Ticket;
    if (last !== ticket) {
      this.#tickets[ticket.index] = last;
      last.index = ticket.index;
    }
    ticket.index = NOWHERE;
    if (ticket.isWriter) this.#writers -= 1;
    return true;
  }
}

const NOWHERE = -1;

const NOTHING: readonly LockKey[] = [];

class Ticket implements LockTicket {
  keys: readonly LockKey[] = NOTHING;
  isWriter = false;
  index = NOWHERE;
  readonly order: number;
  readonly #table: Table;
  readonly #inside: LockTicket | undefined;
  #followers: Ticket[] | undefined;
  #blockers = 0;
  #isAbandoned = false;
  #isClosed = false;
  #isAside = false;
  hasBegun = false;
  #wait: PromiseWithResolvers<"granted" | "abandoned"> | undefined;

  constructor(table: Table, inside: LockTicket | undefined) {
    this.order = table.nextOrder();
    this.#table = table;
    this.#inside = inside;
  }

  get granted(): Promise<"granted" | "abandoned"> | undefined {
    if (this.#blockers === 0 && !this.#isAbandoned) return undefined;
    this.#wait ??= Promise.withResolvers();
    this.#settle();
    return this.#wait.promise;
  }

  stepAside(): void {
    this.#isAside = true;
  }

  begin(): void {
    this.hasBegun = true;
  }

  move(keys: readonly LockKey[]): void {
    if (this.#isClosed) return;
    this.#leave("done");
    this.keys = keys;
    this.isWriter = keys.some(({ access }) => access === "exclude");
    if (keys.length > 0) this.#table.enter(this);
  }

  release(how: "done" | "abandoned" = "done"): void {
    this.#isClosed = true;
    this.#leave(how);
  }

  #leave(how: "done" | "abandoned"): void {
    if (!this.#table.leave(this)) return;
    const followers = this.#followers ?? [];
    this.#followers = undefined;
    for (const follower of followers) {
      follower.#blockers -= 1;
      follower.#isAbandoned ||= how === "abandoned";
      follower.#settle();
    }
  }

  holdUp(later: Ticket): void {
    this.#followers ??= [];
    this.#followers.push(later);
    later.#blockers += 1;
  }

  /** A call inside another one goes before those that wait: they may be waiting for the outer call. */
  mayPass(earlier: Ticket): boolean {
    const isWaiting = earlier.#blockers > 0 || (earlier.#isAside && !earlier.hasBegun);
    return this.#inside !== undefined && isWaiting;
  }

  isWithin(other: LockTicket): boolean {
    if (this.#inside === other) return true;
    return this.#inside instanceof Ticket && this.#inside.isWithin(other);
  }

  #settle(): void {
    if (this.#blockers === 0) this.#wait?.resolve(this.#isAbandoned ? "abandoned" : "granted");
  }
}

function conflicts(earlier: readonly LockKey[], later: readonly LockKey[]): boolean {
  return earlier.some((one) =>
    later.some((other) => (one.access === "exclude" || other.access === "exclude") && overlaps(one, other)),
  );
}

function overlaps(one: LockKey, other: LockKey): boolean {
  return (
    one.resource === other.resource ||
    (one.subtree && isBeneath(other.resource, one.resource)) ||
    (other.subtree && isBeneath(one.resource, other.resource))
  );
}
