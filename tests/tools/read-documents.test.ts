import type { Tool } from "@toolkeep/core";
import { pdfReader } from "@toolkeep/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTool } from "../../packages/tools/src/files/read-tool.ts";
import { type FileBench, openFileBench } from "./file-bench.ts";
import { linePage, samplePdf } from "./sample-pdf.ts";

let bench: FileBench;
beforeAll(async () => {
  bench = await openFileBench();
});
afterAll(() => bench.close());

describe("an image", () => {
  const heads = {
    "image/png": Buffer.from("89504e470d0a1a0a", "hex"),
    "image/jpeg": Buffer.from("ffd8ffe0", "hex"),
    "image/gif": Buffer.from("GIF89a"),
    "image/webp": Buffer.from("RIFF\x10\0\0\0WEBPVP8 "),
  };

  test.each(Object.entries(heads))(
    "of the type %s is shown as an image, whatever its name",
    async (mimeType, head) => {
      const bytes = Buffer.concat([
        head,
        Buffer.from(Array.from({ length: 100_001 }, (_, index) => index % 251)),
      ]);
      await bench.put("picture.dat", bytes);
      const { content } = await bench.call("read", { path: "picture.dat" });
      expect(content?.[1]).toMatchObject({ type: "image", mimeType });
      const data = content?.[1]?.type === "image" ? content[1].data : "";
      expect(Buffer.from(data, "base64").equals(bytes)).toBe(true);
    },
  );

  test("of the largest size is shown whole, and a larger one is refused", async () => {
    await bench.put("large.png", Buffer.concat([heads["image/png"], Buffer.alloc(3_749_992, 1)]));
    const { content, truncation } = await bench.call("read", { path: "large.png" });
    expect({ blocks: content?.length, truncation }).toEqual({ blocks: 2, truncation: undefined });
    await bench.put("large.png", Buffer.concat([heads["image/png"], Buffer.alloc(3_750_000, 1)]));
    expect((await bench.call("read", { path: "large.png" })).failure?.code).toBe("too_large");
  });
});

describe("a PDF", () => {
  test("is shown page by page", async () => {
    await bench.put("paper.pdf", samplePdf(["First words", "Second words", "Third words"].map(linePage)));
    expect(await bench.said("read", { path: "paper.pdf" })).toBe(
      "[page 1 of 3]\nFirst words\n\n[page 2 of 3]\nSecond words\n\n[page 3 of 3]\nThird words",
    );
    expect(await bench.said("read", { path: "paper.pdf", offset: 2, limit: 1 })).toBe(
      "[page 2 of 3]\nSecond words\n\n(There is more: continue with offset 3.)",
    );
    const past = await bench.call("read", { path: "paper.pdf", offset: 4 });
    expect(past.failure?.code).toBe("invalid_arguments");
  });

  test("that is invalid is refused with a message", async () => {
    await bench.put("broken.pdf", "%PDF-1.4\nnothing of the kind");
    expect((await bench.call("read", { path: "broken.pdf" })).failure?.code).toBe("tool_failed");
  });

  test("continues after the last page that fits", async () => {
    // Text next to the paper is dropped, so the lines are written over each other.
    const page = { content: Buffer.from("BT /F1 12 Tf 10 100 Td (some words) Tj ET\n".repeat(300)) };
    await bench.put("long.pdf", samplePdf([page, page, page]));
    await using session = await bench.session({
      tools: [readTool({ pdf: pdfReader(), maxBytes: 5_000 }) as Tool],
    });
    const shown = await bench.said("read", { path: "long.pdf", offset: 2 }, session);
    expect(shown).toMatch(
      /^\[page 2 of 3\]\n(?:some words\s*){300}\(There is more: continue with offset 3\.\)$/,
    );
  });

  test("is named and not shown without a PDF reader", async () => {
    const paper = samplePdf([linePage("First words")]);
    await bench.put("paper.pdf", paper);
    await using session = await bench.session({ tools: [readTool() as Tool] });
    expect(await bench.said("read", { path: "paper.pdf" }, session)).toBe(
      `paper.pdf is a PDF of ${paper.length} bytes. This session has no PDF reader.`,
    );
  });
});

describe("a notebook", () => {
  const cells = [
    { cell_type: "markdown", source: ["# Title\n", "words"] },
    {
      cell_type: "code",
      source: "print(1)",
      outputs: [
        { output_type: "stream", text: ["1\n"] },
        { output_type: "display_data", data: { "image/png": "AAAA" } },
        { output_type: "error", ename: "ValueError", evalue: "no" },
        { output_type: "stream", text: "x".repeat(10_000) },
      ],
    },
  ];

  test("is shown cell by cell, with the outputs", async () => {
    await bench.put("book.ipynb", JSON.stringify({ cells }));
    const shown = await bench.said("read", { path: "book.ipynb" });
    expect(shown).toContain("[cell 1 of 2]\n(markdown)\n# Title\nwords\n\n[cell 2 of 2]\n(code)\nprint(1)\n");
    expect(shown).toContain("[output]\n1\n\n[output]\n(image/png)\n[output]\nValueError: no\n[output]\nxxx");
    expect(shown.length).toBeLessThan(5_000);
    expect(await bench.said("read", { path: "book.ipynb", byte_offset: 0 })).toContain('{"cells":[');
  });

  test("with more outputs than can be shown is cut, and a larger one is refused", async () => {
    const outputs = (count: number) => `{"cells":[{"outputs":[${"{},".repeat(count)}{}]}]}`;
    await bench.put("outputs.ipynb", outputs(100_000));
    const shown = await bench.said("read", { path: "outputs.ipynb" });
    expect(shown).toContain("… [the rest of this cell is omitted]");
    expect(shown.length).toBeLessThan(201_000);
    await bench.put("outputs.ipynb", outputs(2_800_000));
    expect((await bench.call("read", { path: "outputs.ipynb" })).failure?.code).toBe("too_large");
    const part = await bench.said("read", { path: "outputs.ipynb", byte_offset: 0, byte_limit: 10 });
    expect(part).toContain('{"cells":[');
  });

  test("that is invalid is shown as plain text", async () => {
    await bench.put("broken.ipynb", "not json");
    expect(await bench.said("read", { path: "broken.ipynb" })).toBe("     1\tnot json");
  });
});
