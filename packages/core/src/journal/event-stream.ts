import type { SessionEvent } from "../contract/store/event.ts";

/** Gives events to listeners. Never waits for one. */
export interface EventStream {
  /** Whether there are listeners: otherwise no events are made. */
  readonly isWatched: boolean;
  publish(event: SessionEvent): void;
  /** Follows the events from here on. A listener that falls behind by more than `buffer` misses some, and is told how many. */
  watch(options?: { readonly buffer?: number }): AsyncIterableIterator<SessionEvent>;
  /** Calls a function with every event at once, in order, until it is undone. It must not throw. */
  listen(listener: (event: SessionEvent) => void): () => void;
  /** Ends every watch after what it has not seen yet. */
  end(): void;
}

interface Listener {
  readonly buffer: number;
  readonly queue: SessionEvent[];
  /** Where the events that did not fit begin to be missing, and how many there are. */
  gap: { readonly after: SessionEvent; count: number } | undefined;
  wake: (() => void) | undefined;
  isLeaving: boolean;
}

export function createEventStream(): EventStream {
  const listeners = new Set<Listener>();
  const direct = new Set<(event: SessionEvent) => void>();
  let hasEnded = false;

  async function* follow(listener: Listener): AsyncGenerator<SessionEvent> {
    try {
      for (;;) {
        for (let event = take(listener); event !== undefined; event = take(listener)) yield event;
        if (hasEnded || listener.isLeaving) return;
        await new Promise<void>((resolve) => {
          listener.wake = resolve;
        });
      }
    } finally {
      listeners.delete(listener);
    }
  }

  function wakeAll(): void {
    for (const listener of listeners) {
      listener.wake?.();
      listener.wake = undefined;
    }
  }

  return {
    get isWatched() {
      return listeners.size + direct.size > 0;
    },
    listen(listener) {
      direct.add(listener);
      return () => direct.delete(listener);
    },
    publish(event) {
      for (const listener of direct) listener(event);
      for (const listener of listeners) {
        offer(listener, event);
      }
      wakeAll();
    },
    watch({ buffer = 1_000 } = {}) {
      const listener: Listener = { buffer, queue: [], gap: undefined, wake: undefined, isLeaving: false };
      listeners.add(listener);
      const following = follow(listener);
      return {
        [Symbol.asyncIterator]() {
          return this;
        },
        next: () => following.next(),
        // A generator that waits would not hear of it.
        return: (value?: unknown) => {
          listeners.delete(listener);
          listener.isLeaving = true;
          listener.wake?.();
          return following.return(value);
        },
      };
    },
    end() {
      hasEnded = true;
      wakeAll();
    },
  };
}

function offer(listener: Listener, event: SessionEvent): void {
  if (listener.queue.length >= listener.buffer) {
    listener.gap ??= { after: event, count: 0 };
    listener.gap.count += 1;
    return;
  }
  closeGap(listener);
  listener.queue.push(event);
}

function take(listener: Listener): SessionEvent | undefined {
  if (listener.queue.length === 0) closeGap(listener);
  return listener.queue.shift();
}

/** A gap is told where it is: after what came before it and before what comes after. */
function closeGap(listener: Listener): void {
  if (listener.gap === undefined) return;
  const { after, count } = listener.gap;
  listener.gap = undefined;
  listener.queue.push({ seq: after.seq, at: after.at, turn: after.turn, type: "events-drop", count });
}
