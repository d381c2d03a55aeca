import { isIPv4 } from "node:net";

/** A packet that begins a connection, or carries a datagram. */
export interface Packet {
  readonly protocol: "tcp" | "udp";
  readonly from: Endpoint;
  readonly to: Endpoint;
  readonly bytes: Buffer;
}

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

const PROTOCOLS = { 6: "tcp", 17: "udp" } as const;
const ICMP = 1;
const ICMP_6 = 58;

/** `undefined` for anything else, as for parts of packets. */
export function readPacket(bytes: Buffer): Packet | undefined {
  const { start, protocol: number } = layoutOf(bytes);
  const protocol = PROTOCOLS[number as 6 | 17];
  if (protocol === undefined || bytes.length < start + (protocol === "tcp" ? 20 : 8)) return undefined;
  if (isFour(bytes) && (bytes.readUInt16BE(6) & 0x1fff) !== 0) return undefined;
  const [source, target] = addressesIn(bytes);
  return {
    protocol,
    from: { address: addressText(source), port: bytes.readUInt16BE(start) },
    to: { address: addressText(target), port: bytes.readUInt16BE(start + 2) },
    bytes,
  };
}

/** The packet that a machine sends which does not listen there: a reset, or a word that the port is closed. */
export function refusalOf({ protocol, bytes }: Packet): Buffer {
  const { start } = layoutOf(bytes);
  if (protocol === "tcp") {
    const reset = Buffer.alloc(20);
    bytes.copy(reset, 0, start + 2, start + 4);
    bytes.copy(reset, 2, start, start + 2);
    reset.writeUInt32BE((bytes.readUInt32BE(start + 4) + 1) >>> 0, 8);
    reset.writeUInt16BE(0x5014, 12);
    return answered(bytes, 6, reset, 16);
  }
  const [type, code, number] = isFour(bytes) ? [3, 3, ICMP] : [1, 4, ICMP_6];
  const about = bytes.subarray(0, start + 8);
  return answered(bytes, number, Buffer.concat([Buffer.from([type, code, 0, 0, 0, 0, 0, 0]), about]), 2);
}

/** A packet back to the sender, with the checksum of its content at this place. */
function answered(bytes: Buffer, protocol: number, content: Buffer, checksumAt: number): Buffer {
  const [source, target] = addressesIn(bytes);
  const pseudo = Buffer.alloc(8);
  pseudo.writeUInt32BE(content.length, 0);
  pseudo.writeUInt32BE(protocol, 4);
  const covered = protocol === ICMP ? [content] : [source, target, pseudo, content];
  content.writeUInt16BE(checksum(Buffer.concat(covered)), checksumAt);
  const header = isFour(bytes) ? Buffer.alloc(20) : Buffer.alloc(40);
  if (isFour(bytes)) {
    header.set([0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, protocol]);
    header.writeUInt16BE(20 + content.length, 2);
    header.set([...target, ...source], 12);
    header.writeUInt16BE(checksum(header), 10);
  } else {
    header.set([0x60, 0, 0, 0, 0, 0, protocol, 64]);
    header.writeUInt16BE(content.length, 4);
    header.set([...target, ...source], 8);
  }
  return Buffer.concat([header, content]);
}

function isFour(bytes: Buffer): boolean {
  return (bytes[0] ?? 0) >> 4 === 4;
}

function layoutOf(bytes: Buffer): { readonly start: number; readonly protocol: number } {
  if (bytes.length < 40 && !(isFour(bytes) && bytes.length >= 20)) return { start: 0, protocol: -1 };
  if (isFour(bytes)) return { start: ((bytes[0] ?? 0) & 15) * 4, protocol: bytes[9] ?? -1 };
  return { start: 40, protocol: bytes[6] ?? -1 };
}

function addressesIn(bytes: Buffer): readonly [Buffer, Buffer] {
  if (isFour(bytes)) return [bytes.subarray(12, 16), bytes.subarray(16, 20)];
  return [bytes.subarray(8, 24), bytes.subarray(24, 40)];
}

function addressText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = bytes.toString("hex").match(/.{4}/g) ?? [];
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}

function checksum(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  const { hostname } = new URL(`http://[${address.replace(/%.*/, "")}]`);
  const [head = "", tail] = hostname.slice(1, -1).split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const [first, last] = [groups(head), groups(tail ?? "")];
  const missing = Array<string>(8 - first.length - last.length).fill("0");
  return Buffer.from([...first, ...missing, ...last].map((group) => group.padStart(4, "0")).join(""), "hex");
}
