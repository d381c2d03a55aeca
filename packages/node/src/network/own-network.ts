import type { NetworkInterfaceInfo } from "node:os";
import ipaddr from "ipaddr.js";

/** The addresses of a machine, by interface. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/**
 * Why a public address is still one of ours: this machine has it, or it is in one of this machine's own
 * IPv6 networks, where private machines have public addresses. Ends a sentence that begins with the address.
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
