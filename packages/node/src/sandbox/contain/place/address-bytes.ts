import { isIPv4 } from "node:net";

/** The bytes of an address as they are in a packet. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  const { hostname } = new URL(`http://[${address.replace(/%.*/, "")}]`);
  const [head = "", tail] = hostname.slice(1, -1).split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const [first, last] = [groups(head), groups(tail ?? "")];
  const missing = Array<string>(8 - first.length - last.length).fill("0");
  return Buffer.from([...first, ...missing, ...last].map((group) => group.padStart(4, "0")).join(""), "hex");
}
