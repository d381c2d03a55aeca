import { join } from "node:path";
import type { Effect } from "@toolkeep/core";
import { fsDelete, fsRead, fsWrite, netFetch } from "@toolkeep/core/internal";
import type { HeldWork } from "./commit/past.ts";
import type { Want } from "./place/place-protocol.ts";

export interface Seen {
  readonly wants: readonly Want[];
  readonly work: readonly HeldWork[];
  readonly project: string;
  /** Beneath the home, which begins with `~`. */
  readonly pretended: readonly string[];
  readonly home: string;
}

/** More than a person reads. */
const MOST_SEEN = 50;

/** What a contained command did that is not done, as effects that can be decided about. None is a guess. */
export function seenEffects({ wants, work, project, pretended, home }: Seen): readonly Effect[] {
  const found = [
    ...wants.flatMap(wantEffects),
    ...work.map(({ path, does }) => (does === "remove" ? fsDelete : fsWrite)(join(project, path))),
    ...pretended.map((path) => fsWrite(join(home, path.slice(1)))),
  ];
  const unique = new Map(found.map((effect) => [`${effect.capability} ${effect.target}`, effect]));
  return [...unique.values()].slice(0, MOST_SEEN).map((effect) => ({ ...effect, known: "enforced" }));
}

/** A socket is none: nothing lets a command reach it. */
function wantEffects(want: Want): readonly Effect[] {
  if (want.kind === "host") return [netFetch(want.host.includes(":") ? `[${want.host}]` : want.host)];
  if (want.kind === "loopback") return [netFetch("127.0.0.1")];
  return want.kind === "secret" ? [fsRead(want.path)] : [];
}
