import { expect, test } from "vitest";
import { KeyRing } from "./key-ring.ts";

test("a value whose tag was cut is refused", () => {
  const keys = new KeyRing([{ id: "k", secret: new Uint8Array(32) }]);
  const { bytes } = keys.encrypt("name", "");
  expect(keys.decrypt("name", { keyId: "k", bytes })).toBe("");
  for (const length of [0, 8, 12, 16, 27])
    expect(() => keys.decrypt("name", { keyId: "k", bytes: bytes.subarray(0, length) })).toThrow(
      expect.objectContaining({ code: "journal_broken" }),
    );
});
