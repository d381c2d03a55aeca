import { registerHooks } from "node:module";

/** Decides about what is loaded in its name. Both throw what must not be. */
export interface Gate {
  /** A file was found, and may come to be loaded. */
  resolved(url: string): void;
  /** What is in a file is about to be evaluated. */
  load(url: string, source: unknown): void;
}

/** Tells in whose name something is loaded that no module which is known has asked for. */
export type Strays = (url: string, parent: string | undefined) => Gate | undefined;

/** In whose name a module loads others. */
const loaders = new Map<string, Gate>();
/** In whose name a module is loaded. Kept, since Node looks for a name once and may load it more often. */
const held = new Map<string, Gate>();
let present: Gate | undefined;
let isHolding = false;

/**
 * Looks at every load of this process from now on. What is loaded by a module that came through a gate goes through
 * that gate; what the host application loads by itself goes through none, wherever it lies.
 */
export function holdLoads(strays: Strays): void {
  if (isHolding) return;
  isHolding = true;
  registerHooks({
    resolve(name, context, next) {
      const found = next(name, context);
      if (!found.url.startsWith("file:")) return found;
      const parent = context.parentURL;
      const gate = present ?? loaders.get(parent ?? "") ?? strays(found.url, parent);
      if (gate === undefined) return found;
      held.set(found.url, gate);
      gate.resolved(found.url);
      return found;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      // The source that is looked at is the one that is evaluated: it is handed on.
      if (url.startsWith("file:")) (present ?? held.get(url))?.load(url, loaded.source);
      return loaded;
    },
  });
}

/** From now on whatever this module loads goes through a gate; the first one stays. */
export function loadsFrom(url: string, gate: Gate): void {
  if (!loaders.has(url)) loaders.set(url, gate);
}

/** While `run` goes on, all loads go through one gate. */
export function withGate(gate: Gate, run: () => void): void {
  const before = present;
  present = gate;
  try {
    run();
  } finally {
    present = before;
  }
}
