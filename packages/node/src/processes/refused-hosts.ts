import { netFetch } from "@toolkeep/core/internal";
import type { Grant } from "@toolkeep/core/ports";
import { NOT_NAMED } from "../network/host-rules.ts";

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
  const tried = `The command tried to reach ${host}, which it was not allowed to`;
  return reason === NOT_NAMED ? `${tried}. ${howToAllow(host)}` : `${tried}: ${host} ${reason}.`;
}

/** For a command that failed because it has no network, as far as its output says; else `undefined`. */
export function noNetworkNote(output: Uint8Array): string | undefined {
  const text = Buffer.from(output.buffer, output.byteOffset, output.byteLength).toString("latin1");
  const host = LOOKUPS.map((pattern) => pattern.exec(text)?.[1]).find((one) => one !== undefined);
  if (host !== undefined)
    return `The command has no network, and tried to reach ${host}. ${howToAllow(host)}`;
  return UNREACHABLE.test(text) ? `The command has no network. ${howToAllow("HOST")}` : undefined;
}

const NAMED = "([A-Za-z0-9_.-]{1,253}[A-Za-z0-9])";

/** How programs say that a name has no address: curl and git, wget, ssh, Node, Go, Python. */
const LOOKUPS = [
  new RegExp(`[Cc]ould not resolve host(?:name)?:? ${NAMED}`),
  new RegExp(`unable to resolve host address \\S{0,3}?${NAMED}`),
  new RegExp(`getaddrinfo (?:ENOTFOUND|EAI_AGAIN) ${NAMED}`),
  new RegExp(`\\blookup ${NAMED}(?::| on )`),
  new RegExp(`Failed to resolve '${NAMED}'`),
];
const UNREACHABLE =
  /Temporary failure in name resolution|Name or service not known|failed to lookup address information|Network is unreachable/;

/** What a model and a host application can do about it. */
function howToAllow(host: string): string {
  return `A command reaches the hosts that it names itself (\`curl https://${host}/\`), after approval; the host application opens others to commands with \`bash: { hosts: [${JSON.stringify(host)}] }\`.`;
}
