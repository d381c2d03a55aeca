import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/temporary-folder.ts";
import { findBeneath } from "./find-beneath.ts";

function tree(): string {
  const top = temporaryFolder();
  mkdirSync(join(top, "a/b"), { recursive: true });
  writeFileSync(join(top, "a/b/f.txt"), "");
  writeFileSync(join(top, "g.txt"), "");
  symlinkSync("/etc", join(top, "link"));
  return top;
}

describe("findBeneath", () => {
  test("finds what is wanted at any depth and follows no link", async () => {
    const top = tree();
    expect(await findBeneath(top, (path) => /f\.txt$|hosts$|\/b$/.test(path))).toEqual([
      join(top, "a/b"),
      join(top, "a/b/f.txt"),
    ]);
  });

  test("reports what is not a folder, and only whether it is one if nothing is wanted", async () => {
    const top = tree();
    expect(await findBeneath(join(top, "g.txt"))).toBe("no folder");
    expect(await findBeneath(join(top, "missing"), () => true)).toBe("no folder");
    expect(await findBeneath(top)).toEqual([]);
  });

  test("does not know what it cannot look through", async () => {
    const top = tree();
    expect(await findBeneath(top, () => false, 3)).toBe("unknown");
    chmodSync(join(top, "a"), 0o000);
    expect(await findBeneath(top, () => false)).toEqual(process.getuid?.() === 0 ? [] : "unknown");
    chmodSync(join(top, "a"), 0o700);
  });
});
