import fc from "fast-check";
import { expect, test } from "vitest";
import { dnsAnswer } from "./dns-answer.ts";

const HEADER = [0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
const addresses = { four: "198.18.0.1", six: "fd00:7001:2::1" };

function query(name: string, type: number): Buffer {
  const labels = name.split(".").map((label) => [label.length, ...Buffer.from(label)]);
  return Buffer.from([...HEADER, ...labels.flat(), 0, 0, type, 0, 1]);
}

async function answer(name: string, type: number) {
  const asked: string[] = [];
  const bytes = await dnsAnswer(query(name, type), async (one) => {
    asked.push(one);
    return addresses;
  });
  const length = query(name, type).length;
  return { asked, code: (bytes?.[3] ?? 0) & 15, address: bytes?.subarray(length + 12).toString("hex") };
}

test("a name has one address of each kind, in any case of its letters", async () => {
  expect(await answer("A.Example", 1)).toEqual({ asked: ["a.example"], code: 0, address: "c6120001" });
  const six = "fd007001000200000000000000000001";
  expect(await answer("a.example", 28)).toEqual({ asked: ["a.example"], code: 0, address: six });
});

test("localhost is loopback, and what has no address here has none", async () => {
  expect(await answer("localhost", 1)).toEqual({ asked: [], code: 0, address: "7f000001" });
  expect(await answer("a.example", 16)).toEqual({ asked: [], code: 0, address: "" });
  expect(await answer("9.9.in-addr.arpa", 12)).toMatchObject({ asked: [], code: 3 });
  expect(await answer("a b.example", 1)).toMatchObject({ asked: [], code: 3 });
});

test("whatever is sent is answered or left", async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 600 }),
    fc.uint8Array({ maxLength: 300 }).map((rest) => Uint8Array.from([...HEADER, ...rest])),
  );
  await fc.assert(
    fc.asyncProperty(bytes, async (sent) => {
      const answered = await dnsAnswer(Buffer.from(sent), async () => addresses);
      expect(answered?.length ?? 0).toBeLessThan(1_024 + 64);
    }),
    { numRuns: 2_000 },
  );
});
