import { lazyLoads } from "./lazy-loads.ts";
import { linkedSkill, linkedThings } from "./linked-things.ts";
import { narrowing, throughHook, unread } from "./narrowing.ts";
import { wholeSession } from "./whole-session.ts";

/** All that is tried within one jail. */
export interface Scenes {
  readonly lazy: Awaited<ReturnType<typeof lazyLoads>>;
  readonly whole: Readonly<Record<"open" | "guarded", Awaited<ReturnType<typeof wholeSession>>>>;
  readonly narrowing: Awaited<ReturnType<typeof narrowing>>;
  readonly unread: Awaited<ReturnType<typeof unread>>;
  readonly hook: readonly string[];
  readonly linked: Awaited<ReturnType<typeof linkedThings>>;
  readonly skill: readonly string[];
}

const scenes: Scenes = {
  lazy: await lazyLoads(),
  whole: { open: await wholeSession("open"), guarded: await wholeSession("guarded") },
  narrowing: await narrowing(),
  unread: await unread(),
  hook: await throughHook(),
  linked: await linkedThings(),
  skill: await linkedSkill(),
};
console.log(JSON.stringify(scenes));
