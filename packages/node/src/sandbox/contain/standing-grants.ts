import { capabilityNamed } from "@toolkeep/catalog";
import type { Effect } from "@toolkeep/core";
import { isLoopbackAddress } from "@toolkeep/core/internal";
import type { Containment } from "@toolkeep/core/ports";
import type { HostAndPort } from "./place/place-protocol.ts";

/** What one program looks at elsewhere, in the words of the catalogue. */
export interface Reach {
  readonly program: string;
  readonly does: readonly string[];
}

/** Lets contained commands of a program reach a host without a question, as long as they do no more than this there. */
export type StandingGrant = Reach & HostAndPort;

export type Granted = Pick<Containment, "hosts" | "ports">;

const BESIDES: ReadonlySet<string> = new Set(["fs.read", "fs.write", "fs.delete", "net.fetch"]);

/**
 * What a line looks at elsewhere, by one program. `undefined` if a command of it does anything else there, runs code that
 * could use the same host, or is not known: all of its commands reach what one of them may.
 */
export function reachOf(effects: readonly Effect[]): Reach | undefined {
  const programs = new Set<string>();
  const does = new Set<string>();
  for (const { capability, meaning } of effects) {
    if (BESIDES.has(capability)) continue;
    if (capability !== "shell.run" || meaning === undefined || meaning.feared !== undefined) return undefined;
    const elsewhere = meaning.does.filter((one) => !isLocalWork(one));
    if (!elsewhere.every(isLook)) return undefined;
    if (elsewhere.length > 0) programs.add(meaning.program);
    for (const one of elsewhere) does.add(one);
  }
  const [program] = programs;
  return program === undefined || programs.size > 1 ? undefined : { program, does: [...does].toSorted() };
}

/** Its layer holds what it changes. */
function isLocalWork(name: string): boolean {
  return name.startsWith("local.") && capabilityNamed(name)?.kind !== "destroy";
}

/** Docker's service gives all who may ask it the whole machine. */
function isLook(name: string): boolean {
  return capabilityNamed(name)?.kind === "read" && !name.startsWith("container.");
}

/** What a line may reach without a question; `undefined` if that is nothing, or it names another host as well. */
export function grantedTo(effects: readonly Effect[], grants: readonly StandingGrant[]): Granted | undefined {
  const reach = reachOf(effects);
  const own = grants.filter(
    ({ program, does }) => program === reach?.program && reach.does.every((one) => does.includes(one)),
  );
  const isNamed = ({ target }: Effect) =>
    own.some(({ host, port }) => target === host || target === `${host}:${port}`);
  const named = effects.filter(({ capability }) => capability === "net.fetch");
  if (own.length === 0 || !named.every(isNamed)) return undefined;
  const hosts = own.map(({ host, port }) => ({ host, port }));
  return {
    hosts: hosts.filter(({ host }) => !isLoopbackAddress(host)),
    ports: hosts.filter(({ host }) => isLoopbackAddress(host)).map(({ port }) => port),
  };
}
