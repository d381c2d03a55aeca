import { netFetch } from "@toolkeep/core/internal";
import type { Grant } from "@toolkeep/core/ports";

/** The hosts that a command tried to reach and may not. */
export interface RefusedHosts {
  add(host: string, reason: string): void;
  /** For the reader of the outcome; `undefined` for none. */
  note(): string | undefined;
}

const MOST_NAMED = 8;

/** Each is written to the journal once, as long as the call runs. */
export function refusedHosts(grant: Grant): RefusedHosts {
  const reasons = new Map<string, string>();
  return {
    add(host, reason) {
      if (reasons.has(host) || reasons.size >= MOST_NAMED) return;
      reasons.set(host, reason);
      try {
        grant.refuse(netFetch(host), reason);
      } catch {
        // It refuses by throwing, and the program was told already.
      }
    },
    note: () => (reasons.size === 0 ? undefined : [...reasons].map(refusalOf).join(" ")),
  };
}

function refusalOf([host, reason]: readonly [string, string]): string {
  return `The command tried to reach ${host}, which it was not allowed to: ${host} ${reason}. ${howToAllow(host)}`;
}

/** What a model and a host application can do about it. */
export function howToAllow(host: string): string {
  return `A command reaches the hosts that it names itself (\`curl https://${host}/\`), after approval; the host application opens others to commands with \`bash: { hosts: [${JSON.stringify(host)}] }\`.`;
}
