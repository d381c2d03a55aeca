import { isIP } from "node:net";
import type { NetworkInterfaceInfo } from "node:os";
import ipaddr from "ipaddr.js";
import { PRIVATE, SPECIAL } from "./address-ranges.ts";

interface Reason {
  readonly reason: string;
  /** Naming a host permits it; the others are permitted only by the address itself. */
  readonly isLifted: boolean;
}

/**
 * Why an IP address may not be connected to, as the end of a sentence that begins with the address; `undefined` for a
 * public one. Whatever is not known to be public is refused, also what is not an address.
 */
export function addressError(address: string): string | undefined {
  return errorOf(address)?.reason;
}

/** Whether a host may be named at an address: a private one, but none where machines keep their credentials. */
export function isNameable(address: string): boolean {
  return errorOf(address)?.isLifted ?? true;
}

const CREDENTIALS: Reason = { reason: "is where a cloud answers its own machines", isLifted: false };

/** Within ranges that are public or everyday private otherwise: Azure, Alibaba, AWS, Google and Scaleway. */
const METADATA: ReadonlySet<string> = new Set(
  ["168.63.129.16", "100.100.100.200", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42"].map(
    (address) => ipaddr.parse(address).toNormalizedString(),
  ),
);

const GLOBAL_UNICAST = ipaddr.IPv6.parse("2000::");
const TRANSLATED = ipaddr.IPv6.parse("64:ff9b::");

function errorOf(address: string): Reason | undefined {
  // The parser below also reads short and octal forms, which other programs read otherwise.
  if (isIP(address) === 0) return { reason: "is no IP address", isLifted: false };
  if (address.includes("%")) return { reason: "is valid on one link alone", isLifted: false };
  const parsed = ipaddr.process(address);
  if (METADATA.has(parsed.toNormalizedString())) return CREDENTIALS;
  const range = parsed.range();
  const reason = PRIVATE[range];
  if (reason !== undefined) return { reason, isLifted: true };
  if (parsed instanceof ipaddr.IPv6) {
    if (parsed.match(TRANSLATED, 96)) return errorOf(parsed.toByteArray().slice(-4).join("."));
    // IANA assigns nothing else. Other addresses may be routed anywhere, e.g. `::7f00:1` to loopback.
    if (range === "unicast" && !parsed.match(GLOBAL_UNICAST, 3))
      return { reason: "is outside of the addresses that are given out", isLifted: false };
  }
  if (range === "unicast") return undefined;
  return { reason: SPECIAL[range] ?? "is reserved", isLifted: false };
}

/** The addresses of a machine, by interface. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/**
 * Why a public address is still a local one: this machine has it, or it is in one of this machine's own IPv6 networks,
 * where private machines have public addresses. Ends a sentence that begins with the address.
 */
export function ownNetworkError(address: string, interfaces: Interfaces): string | undefined {
  const parsed = ipaddr.process(address);
  for (const { address: own, cidr } of Object.values(interfaces).flatMap((list) => list ?? [])) {
    if (parsed.toString() === ipaddr.process(own).toString()) return "is this machine itself";
    if (cidr !== null && parsed.kind() === "ipv6" && isWithin(parsed, cidr))
      return "is in this machine's own network";
  }
  return undefined;
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, cidr: string): boolean {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  return network.kind() === address.kind() && address.match(network, bits);
}
