import { chmodSync, cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { SessionStore } from "@toolkeep/core";
import type { OpenJournal, PendingArguments } from "@toolkeep/core/journal";
import { openSqliteStore, type SqliteStore } from "@toolkeep/sqlite";

/** A store on disk, and copies of its folder: each is what a process leaves that is killed there. */
interface CutStore extends AsyncDisposable {
  readonly store: SessionStore;
  readonly cuts: readonly string[];
}

/**
 * Copies the folder of a store whenever something became durable. Every event is written as soon as a timer could have
 * written it, so that only those of one append are never apart.
 */
export function cutStore(folder: string): CutStore {
  const path = join(folder, "store");
  const store = openSqliteStore({ path, durability: "normal" });
  const cuts: string[] = [];
  let isOpen = true;
  const cut = () => {
    if (!isOpen) return;
    const copy = join(folder, `cut-${cuts.length}`);
    copyStore(path, copy);
    cuts.push(copy);
  };
  const overrides = {
    pending: cutPending(store.pending, cut),
    sendMessage: async (...given: Parameters<SessionStore["sendMessage"]>) => {
      await store.sendMessage(...given);
      cut();
    },
    takeMessages: async (...given: Parameters<SessionStore["takeMessages"]>) => {
      const taken = await store.takeMessages(...given);
      cut();
      return taken;
    },
    open: async (...given: Parameters<SessionStore["open"]>) => cutJournal(await store.open(...given), cut),
  };
  return {
    store: overriding<SessionStore>(store, overrides),
    cuts,
    async [Symbol.asyncDispose]() {
      isOpen = false;
      await store.close();
    },
  };
}

/** A copy does not have the modes of what it was made from, and other users may not read a store. */
export function copyStore(path: string, copy: string): void {
  cpSync(path, copy, { recursive: true });
  chmodSync(copy, 0o700);
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
}

function cutJournal(journal: OpenJournal, cut: () => void): OpenJournal {
  let flushing: Promise<void> | undefined;
  const flush = () => {
    if (flushing !== undefined) return flushing;
    const flushed = journal.flush();
    if (flushed === undefined) return undefined;
    flushing = flushed.then(cut).finally(() => {
      flushing = undefined;
    });
    return flushing;
  };
  return overriding(journal, {
    flush,
    append: (...event: Parameters<OpenJournal["append"]>) => {
      journal.append(...event);
      // A journal that was released meanwhile has written everything.
      flush()?.catch(() => undefined);
    },
  });
}

function cutPending(pending: PendingArguments, cut: () => void): PendingArguments {
  return {
    get: (key) => pending.get(key),
    put(key, text) {
      void pending.put(key, text);
      cut();
    },
    delete(key) {
      void pending.delete(key);
      cut();
    },
  };
}

/** The same object with other members. */
export function overriding<Value extends object>(value: Value, members: Partial<Value>): Value {
  return new Proxy(value, {
    get(target, name) {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** Opens a copy as the next process does: the one that was killed has no session open. */
export async function openCut(path: string): Promise<SqliteStore> {
  const store = openSqliteStore({ path, durability: "normal" });
  for (const { sessionId } of store.sessions()) {
    const taken = await store.open(sessionId, { steal: true });
    await taken.release();
  }
  return store;
}
