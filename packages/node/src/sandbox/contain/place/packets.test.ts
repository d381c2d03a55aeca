import fc from "fast-check";
import { expect, test } from "vitest";
import { addressBytes, readPacket, refusalOf } from "./packets.ts";

test("whatever is seen is read or left, and what is read can be refused", () => {
  const start = fc.constantFrom(
    [0x45, 0, 0, 60],
    [0x60, 0, 0, 0, 0, 20, 6, 64],
    [0x60, 0, 0, 0, 0, 8, 17, 64],
    [],
  );
  const bytes = fc
    .tuple(start, fc.uint8Array({ maxLength: 128 }))
    .map(([head, rest]) => Buffer.from([...head, ...rest]));
  fc.assert(
    fc.property(bytes, (seen) => {
      const packet = readPacket(seen);
      if (packet === undefined) return;
      const refusal = refusalOf(packet);
      expect(refusal.length).toBeGreaterThanOrEqual(packet.to.address.includes(":") ? 60 : 40 - 12);
      expect(addressBytes(packet.to.address)).toHaveLength(packet.to.address.includes(":") ? 16 : 4);
    }),
    { numRuns: 3_000 },
  );
});
