import { mkdir, symlink } from "node:fs/promises";
import type { Tool } from "@toolkeep/core";
import { HEADLESS_DENIAL } from "@toolkeep/core/internal";
import { toolConformance } from "@toolkeep/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTool } from "../../packages/tools/src/files/read-tool.ts";
import { type FileBench, fileTools, openFileBench } from "./file-bench.ts";

let bench: FileBench;
beforeAll(async () => {
  bench = await openFileBench();
});
afterAll(() => bench.close());

const read = (path: string, more: Readonly<Record<string, number>> = {}) =>
  bench.said("read", { path, ...more });
const codeOf = async (path: string, more = {}) => (await bench.call("read", { path, ...more })).failure?.code;

describe("a text", () => {
  test("is shown with line numbers", async () => {
    await bench.put("a.txt", "one\n\n  three\n");
    expect(await read("a.txt")).toBe("     1\tone\n     2\t\n     3\t  three");
    await bench.put("a.txt", "no end");
    expect(await read("a.txt")).toBe("     1\tno end");
  });

  test("may have a name that looks like a pattern", async () => {
    for (const path of ["src/[id].ts", "src/{a,b}.ts", "src/*.ts"]) {
      await bench.put(path, "one");
      expect(await read(path)).toBe("     1\tone");
    }
  });

  test("is reported as empty", async () => {
    await bench.put("empty.txt", "");
    expect(await read("empty.txt")).toBe("empty.txt is empty.");
    await bench.put("empty.txt", "\ufeff");
    expect(await read("empty.txt")).toBe("empty.txt is empty.");
  });

  test("is read from a given line, a given number of lines", async () => {
    await bench.put("lines.txt", Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join(""));
    expect(await read("lines.txt", { offset: 5, limit: 2 })).toBe(
      "     5\tline 5\n     6\tline 6\n\n(Lines 5 to 6. There is more: continue with offset 7.)",
    );
    expect(await read("lines.txt", { offset: 20 })).toBe("    20\tline 20\n\n(End of lines.txt.)");
    expect(await codeOf("lines.txt", { offset: 21 })).toBe("invalid_arguments");
  });

  test.each([
    ["\r\n, which is not shown", Buffer.from("one\r\ntwo\r\n")],
    ["UTF-8 with a byte order mark", Buffer.from("\ufeffone\ntwo")],
    ["UTF-16", Buffer.from("\ufeffone\ntwo", "utf16le")],
    ["UTF-16, big-endian", Buffer.from("\ufeffone\ntwo", "utf16le").swap16()],
  ])("is shown the same in %s", async (_name, bytes) => {
    await bench.put("form.txt", bytes);
    expect(await read("form.txt")).toBe("     1\tone\n     2\ttwo");
  });

  test("is shown in an older encoding too", async () => {
    await bench.put("latin.txt", Buffer.from("café\ncreme", "latin1"));
    expect(await read("latin.txt")).toBe("     1\tcafé\n     2\tcreme");
  });

  test("has its long lines cut between characters, with the offset of the rest", async () => {
    await bench.put("long.txt", `${"é".repeat(3_000)}\nshort`);
    const shown = await read("long.txt");
    expect(shown).toBe(
      `     1\t${"é".repeat(1_000)} … [the line continues at byte_offset 2000]\n     2\tshort`,
    );
    expect(await read("long.txt", { byte_offset: 2_000 })).toContain(`${"é".repeat(2_000)}\nshort`);
  });
});

describe("a large text", () => {
  const line = (number: number) => `line ${String(number).padStart(8, "0")} ☕ and some more\n`;
  const whole = Array.from({ length: 40_000 }, (_, index) => line(index + 1)).join("");
  const size = Buffer.byteLength(whole);
  beforeAll(() => bench.put("large.txt", whole));

  test("[C110] is shown whole up to 200,000 bytes", async () => {
    const count = Math.floor(200_000 / Buffer.byteLength(line(1)));
    await bench.put("fits.txt", whole.slice(0, line(1).length * count));
    const result = await bench.call("read", { path: "fits.txt" });
    expect(result.truncation).toBeUndefined();
    expect(String(result.data).split("\n")).toHaveLength(count);
  });

  test("[C110] is cut at a line, with the amount omitted and how to continue", async () => {
    const result = await bench.call("read", { path: "large.txt" });
    const { kept, lost, by, path } = result.truncation ?? {};
    expect({ by, path }).toEqual({ by: "tool", path: "large.txt" });
    expect(kept).toBeLessThanOrEqual(200_000);
    expect((kept ?? 0) + (lost ?? 0)).toBe(size);
    const [, last] = /Lines 1 to (\d+)\./.exec(String(result.data)) ?? [];
    expect(kept).toBe(Number(last) * Buffer.byteLength(line(1)));
  });

  test("has no line after the last one, wherever that ends", async () => {
    await bench.put("even.txt", `${"x".repeat(1_024 * 1_024 - 1)}\n`);
    expect(await codeOf("even.txt", { offset: 2 })).toBe("invalid_arguments");
  });

  test("is read in the middle by lines", async () => {
    expect(await read("large.txt", { offset: 39_999, limit: 1 })).toContain(` 39999\t${line(39_999)}`);
    expect(await codeOf("large.txt", { offset: 40_001 })).toBe("invalid_arguments");
  });

  test("[C110] is read whole by consecutive byte ranges", async () => {
    let shown = "";
    let next: number | undefined = 0;
    while (next !== undefined) {
      const text = await bench.call("read", { path: "large.txt", byte_offset: next, byte_limit: 177_777 });
      const [, part = "", rest = ""] =
        /^(.*)\n\n\(Bytes \d+ to \d+ of \d+\.(.*)\)$/s.exec(String(text.data)) ?? [];
      shown += part;
      next = rest === "" ? undefined : Number(/\d+/.exec(rest)?.[0]);
    }
    expect(shown).toBe(whole);
    expect(await codeOf("large.txt", { byte_offset: size })).toBe("invalid_arguments");
  });

  test("stays within bounds when it consists of line breaks", async () => {
    await bench.put("ends.txt", "\n".repeat(200_000));
    const { data, truncation } = await bench.call("read", { path: "ends.txt" });
    expect(String(data).length).toBeLessThan(402_000);
    expect(truncation?.by).toBe("tool");
  });
});

describe("a file that is not text", () => {
  test("is named and not shown", async () => {
    await bench.put("x.bin", Uint8Array.of(1, 0, 2));
    expect(await read("x.bin")).toBe("x.bin is a binary file of 3 bytes and is not shown.");
    await bench.put("x.gz", Uint8Array.of(0x1f, 0x8b, 8, 0, 0));
    expect(await read("x.gz")).toBe("x.gz is a gzip archive of 5 bytes and is not shown.");
    await bench.put("late.bin", `${"text\n".repeat(20_000)}\0`);
    expect(await read("late.bin")).toContain("is a binary file");
  });

  test("is reported as a folder", async () => {
    await mkdir(bench.at("folder"));
    expect((await bench.call("read", { path: "folder" })).failure).toMatchObject({
      hint: "Use `list` to list it.",
    });
  });

  test("is reported as missing, with similar names", async () => {
    await bench.put("src/reader.ts", "");
    await bench.put("src/writer.js", "");
    const { failure } = await bench.call("read", { path: "src/raeder.ts" });
    expect(failure).toMatchObject({ code: "not_found", hint: "Similar names there: src/reader.ts" });
    const other = await bench.call("read", { path: "src/writer.ts" });
    expect(other.failure?.hint).toContain("src/writer.js");
    expect(await codeOf("nowhere/at/all.txt")).toBe("not_found");
  });

  test("is reported as missing without similar names if the folder may not be listed", async () => {
    const deny = { permission: "list", pattern: "**", action: "deny" } as const;
    const allow = { permission: "read", pattern: "**", action: "allow" } as const;
    const session = await bench.session({ policy: [allow, deny] });
    const { failure } = await bench.call("read", { path: "src/raeder.ts" }, session);
    await session.close();
    expect(failure?.code).toBe("not_found");
    expect(failure?.hint).not.toContain("reader");
  });
});

test("an output that this session kept is read by its path, and not by another session", async () => {
  await Promise.all(Array.from({ length: 1_001 }, (_, index) => bench.put(`kept/file-${index}`, "")));
  const session = await bench.session({ policy: [] });
  const listed = await bench.call("list", { path: "kept" }, session);
  const path = listed.truncation?.path ?? "";
  const result = await bench.call("read", { path, byte_offset: 0 }, session);
  expect(String(result.data)).toContain('"file-1000"');
  const other = await bench.call("read", { path });
  expect(other).toMatchObject({ ok: false, failure: { code: "not_found" } });
  const written = await bench.call("write", { path, content: "x" }, session);
  expect(written.failure?.code).toBe("out_of_scope");
  await session.close();
});

test("a file that only looks like a kept output is not read", async () => {
  await bench.put(`${"a".repeat(32)}.out`, "secret");
  expect(await codeOf(bench.at(`${"a".repeat(32)}.out`))).toBe("not_found");
});

test("a path that leads out of the workspace is refused, through whatever it leads", async () => {
  await symlink("/etc", bench.at("etc"));
  for (const path of ["/etc/hostname", "etc/hostname", "../x", "src/../../x"])
    expect(await codeOf(path)).toBe("out_of_scope");
});

test("a rule that denies a file denies reading it", async () => {
  await bench.put("secret.env", "KEY=1");
  const rules = [{ permission: "fs.read", pattern: "**/*.env", action: "deny" }] as const;
  const session = await bench.session({ policy: rules, tools: fileTools() });
  const result = await bench.call("read", { path: "secret.env" }, session);
  await session.close();
  expect(result.failure?.code).toBe("denied");
  expect(result.failure?.message).not.toBe(HEADLESS_DENIAL);
});

test("[C46] read declares that it reads the one file, and satisfies the tool contract", async () => {
  const session = bench.workspace.sessionOptions();
  await bench.put("c.txt", "one");
  const tool = readTool();
  const path = bench.at("c.txt");
  expect(await tool.effects?.({ path }, session.resolver)).toEqual([{ capability: "fs.read", target: path }]);
  expect(tool).toMatchObject({ mode: "read", kind: "read", gated: false, idempotent: true });
  expect(
    await toolConformance(tool as Tool, {
      ...{ grantIo: session.grantIo, resolver: session.resolver, variables: session.variables },
      examples: [{ path }, { path, offset: 1, limit: 1 }, { path, byte_offset: 1, byte_limit: 1 }],
      refuses: [{}, { path: "" }, { path, offset: 0 }, { path, limit: 1.5 }, { path, more: 1 }],
    }),
  ).toEqual([]);
});
