import { expect, test } from "vitest";
import { FrameReader, frameOf } from "./frames.ts";

test("frames are read whole, however they are cut", () => {
  const values = [{ text: "ä" }, "x".repeat(200), [1], { ping: true }];
  const all = Buffer.concat(values.map(frameOf));
  for (let size = 1; size <= all.length; size++) {
    const reader = new FrameReader(1_000);
    const read: unknown[] = [];
    for (let at = 0; at < all.length; at += size) read.push(...reader.push(all.subarray(at, at + size)));
    expect(read).toEqual(values);
  }
});

test("a frame that is too large is refused before it is read", () => {
  const reader = new FrameReader(10);
  expect(() => reader.push(frameOf("x".repeat(20)).subarray(0, 4))).toThrow(/too large/);
});

test("a frame that is not JSON is refused", () => {
  const frame = frameOf("abc");
  frame[4] = 0x7b;
  expect(() => new FrameReader(100).push(frame)).toThrow();
});
