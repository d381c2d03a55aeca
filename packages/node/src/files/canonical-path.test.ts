import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileFolders } from "../../../../tests/races/hostile-folders.ts";
import { sharedFolder } from "../../../../tests/temporary-folder.ts";
import { canonicalPath } from "./canonical-path.ts";

const { workspace: ws, outside } = hostileFolders(sharedFolder());

describe("where a path leads", () => {
  test("through links, one after the other, and through links in the middle", async () => {
    symlinkSync("src", join(ws, "one"));
    symlinkSync("one", join(ws, "two"));
    expect(await canonicalPath(join(ws, "two/b.ts"))).toBe(join(ws, "src/b.ts"));
    expect(await canonicalPath("/")).toBe("/");
    expect(await canonicalPath(`${ws}//src/./b.ts`)).toBe(join(ws, "src/b.ts"));
  });

  test("up from the target of a link, not from its text", async () => {
    mkdirSync(join(outside, "deep"));
    symlinkSync(join(outside, "deep"), join(ws, "away"));
    expect(await canonicalPath(`${ws}/away/../victim.txt`)).toBe(join(outside, "victim.txt"));
  });

  test("to where a file would be made, also behind a dangling link and in folders that are missing", async () => {
    symlinkSync(join(outside, "made"), join(ws, "dangling"));
    expect(await canonicalPath(join(ws, "dangling"))).toBe(join(outside, "made"));
    expect(await canonicalPath(join(ws, "dangling/in/it"))).toBe(join(outside, "made/in/it"));
    expect(await canonicalPath(join(ws, "new/deep/x.ts"))).toBe(join(ws, "new/deep/x.ts"));
  });

  test("for everything that exists, it is what the system reports", async () => {
    const part = fc.constantFrom(..."src one two away .. . a.txt b.ts deep missing".split(" "), "");
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const path = [ws, ...parts].join("/");
        const real = systemPath(path);
        if (real !== undefined) expect(await canonicalPath(path)).toBe(real);
      }),
      { numRuns: 500 },
    );
  });
});

describe("where no path may lead", () => {
  const code = (path: string) =>
    canonicalPath(path).then(
      () => "fine",
      (error: { code: string }) => error.code,
    );

  test("round in circles: that is seen at once", async () => {
    symlinkSync("loop", join(ws, "loop"));
    symlinkSync("ping", join(ws, "pong"));
    symlinkSync("pong", join(ws, "ping"));
    const start = performance.now();
    expect(await Promise.all(["loop", "ping/x"].map((name) => code(join(ws, name))))).toEqual([
      "tool_failed",
      "tool_failed",
    ]);
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  test("through a file, or up from a folder that is not there", async () => {
    for (const path of ["a.txt/", "a.txt/.", "a.txt/..", "a.txt/x/..", "missing/../a.txt"])
      expect(await code(`${ws}/${path}`), path).toBe("not_found");
  });

  test("but a name beneath a file stays as it is, because nothing can be there", async () => {
    expect(await canonicalPath(`${ws}/a.txt/x`)).toBe(`${ws}/a.txt/x`);
  });

  test("into the system's own folders, by name or by a link", async () => {
    symlinkSync("/proc/self/root", join(ws, "magic"));
    symlinkSync("/dev/zero", join(ws, "zero"));
    const paths = [
      "/proc/self/environ",
      "/proc/self/root/etc/passwd",
      "//proc/self/fd/0",
      "/dev/fd/0",
      "/sys",
    ];
    for (const path of [...paths, join(ws, "magic/etc/passwd"), join(ws, "zero"), "/etc/../proc"])
      expect(await code(path), path).toBe("out_of_scope");
    expect(await code("/process-of-ours")).toBe("fine");
  });

  test("nowhere: relative, with a NUL, or too long", async () => {
    for (const path of [
      "",
      "a.txt",
      "~/.ssh/id_rsa",
      "file:///etc/passwd",
      `${ws}/a.txt\0.png`,
      `/${"a/".repeat(3_000)}`,
    ])
      expect(await code(path), path.slice(0, 40)).toBe("invalid_arguments");
    expect(await code(join(ws, "n".repeat(256)))).toBe("invalid_arguments");
  });

  test("links that make a path longer and longer are followed for a bounded time", async () => {
    const many = `${"./".repeat(900)}src`;
    for (let index = 0; index < 30; index += 1)
      symlinkSync(`${many}/../grow${index + 1}`, join(ws, `grow${index}`));
    const start = performance.now();
    expect(await code(join(ws, "grow0"))).toBe("invalid_arguments");
    expect(performance.now() - start).toBeLessThan(30_000);
  });
});

describe("a missing name that is another spelling of an entry", () => {
  const code = (path: string) =>
    canonicalPath(join(ws, path)).then(
      () => "fine",
      (error: { code: string }) => error.code,
    );
  const folds = foldsAccents(ws);

  test.skipIf(folds)("leads nowhere (the volume does not tell them apart: skipped)", async () => {
    mkdirSync(join(ws, "PRIVATE_KEYS"));
    mkdirSync(join(ws, "re\u0301sume\u0301"));
    symlinkSync(outside, join(ws, "cafe\u0301"));
    writeFileSync(join(ws, "\u212Aelvin;"), "");
    for (const path of [
      "PRIVATE_\u212AEYS",
      "PRIVATE_\u212AEYS/a.txt",
      "r\u00e9sum\u00e9/new.txt",
      "r\u00e9sume\u0301",
      "caf\u00e9/victim.txt",
      "Kelvin;",
      "Kelvin\u037E",
    ])
      expect(await code(path), path).toBe("invalid_arguments");
  });

  test.skipIf(folds)("as it is written it is what it is (skipped likewise)", async () => {
    expect(await canonicalPath(join(ws, "re\u0301sume\u0301/new"))).toBe(join(ws, "re\u0301sume\u0301/new"));
    expect(await canonicalPath(join(ws, "\u212Aelvin;"))).toBe(join(ws, "\u212Aelvin;"));
  });

  test("a new name is fine in any spelling", async () => {
    for (const path of ["n\u00e9w.ts", "ne\u0301w.ts", "NEW_K.ts", "\u212A.ts", "nowhere/\u212A/x", "kelvin"])
      expect(await canonicalPath(join(ws, path))).toBe(join(ws, path));
  });

  test("no other text is equivalent to ASCII than those with one of three characters", () => {
    const equivalent = new Set<string>();
    for (let point = 0x80; point <= 0x10ffff; point += 1) {
      if (point >= 0xd800 && point < 0xe000) continue;
      const composed = String.fromCodePoint(point).normalize("NFC");
      if (/^[\0-\x7f]+$/.test(composed)) equivalent.add(composed);
    }
    expect([...equivalent].toSorted()).toEqual([";", "K", "`"]);
  });
});

describe("names on volumes that do not tell case apart", () => {
  const folding = foldingFolder(ws);

  test.skipIf(folding === undefined)(
    "are as the volume has them (no such volume can be made here: skipped)",
    async () => {
      mkdirSync(join(folding as string, ".git"));
      writeFileSync(join(folding as string, ".git/config"), "");
      expect(await canonicalPath(join(folding as string, ".GIT/Config"))).toBe(
        join(folding as string, ".git/config"),
      );
    },
  );

  test.skipIf(process.platform === "darwin")(
    "elsewhere two names of one file that differ in their case stay as they are (skipped on macOS)",
    async () => {
      execFileSync("ln", [join(ws, "a.txt"), join(ws, "A.TXT")]);
      expect(await canonicalPath(join(ws, "A.TXT"))).toBe(join(ws, "A.TXT"));
      expect(await canonicalPath(join(ws, "a.txt"))).toBe(join(ws, "a.txt"));
    },
  );
});

function systemPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

function foldsAccents(home: string): boolean {
  writeFileSync(join(home, "probe\u00e9"), "");
  return systemPath(join(home, "probee\u0301")) !== undefined;
}

/** A folder that folds case: any on most Macs, and on ext4 where the volume was made for it. */
function foldingFolder(home: string): string | undefined {
  const folder = join(home, "folding");
  mkdirSync(folder);
  try {
    execFileSync("chattr", ["+F", folder], { stdio: "ignore" });
  } catch {
    // Not on Linux, or not on this volume.
  }
  mkdirSync(join(folder, "probe"));
  return systemPath(join(folder, "PROBE")) === undefined ? undefined : folder;
}
