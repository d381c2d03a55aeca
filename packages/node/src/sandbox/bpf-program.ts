/*
 * The small part of the kernel's classic packet filter language that a filter for system calls needs, and its
 * translation to the bytes that the kernel takes.
 */

/** One instruction, or the name of the one after it. Jumps lead to a name further down; without one, to the next. */
export type BpfInstruction =
  | { readonly do: "label"; readonly name: string }
  | { readonly do: "load"; readonly value: number }
  | { readonly do: "and"; readonly value: number }
  | { readonly do: "equal" | "above"; readonly value: number; readonly yes?: string; readonly no?: string }
  | { readonly do: "return"; readonly value: number };

const CODES = { load: 0x20, and: 0x54, equal: 0x15, above: 0x25, return: 0x06 } as const;
const BYTES_EACH = 8;
const FARTHEST = 255;

/** The bytes of `struct sock_filter`, little-endian, one after the other. */
export function bpfBytes(program: readonly BpfInstruction[]): Uint8Array {
  const directories = new Map<string, number>();
  const instructions = program.filter((one) => one.do !== "label");
  for (const [at, one] of program.entries())
    if (one.do === "label") directories.set(one.name, at - directories.size);
  const bytes = new DataView(new ArrayBuffer(instructions.length * BYTES_EACH));
  const distance = (label: string | undefined, from: number): number => {
    if (label === undefined) return 0;
    const steps = (directories.get(label) ?? 0) - from - 1;
    if (steps < 0 || steps > FARTHEST) throw new Error(`no jump from ${from} reaches ${label}`);
    return steps;
  };
  for (const [at, one] of instructions.entries()) {
    const start = at * BYTES_EACH;
    bytes.setUint16(start, CODES[one.do], true);
    bytes.setUint8(start + 2, "yes" in one ? distance(one.yes, at) : 0);
    bytes.setUint8(start + 3, "no" in one ? distance(one.no, at) : 0);
    bytes.setUint32(start + 4, one.value, true);
  }
  return new Uint8Array(bytes.buffer);
}
