import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { pdfReader } from "@toolkeep/node";
import { describe, expect, test } from "vitest";
import { linePage, nestedPdf, samplePdf } from "./sample-pdf.ts";

const query = () => ({ signal: new AbortController().signal, maxCharacters: 10_000 });
const lines = (...words: readonly string[]) => samplePdf(words.map(linePage));

describe("pages", () => {
  const paper = lines("one", "two", "three");

  test("are the requested ones, and the bytes stay with the caller", async () => {
    const reader = pdfReader();
    expect(await reader.read(paper, query())).toEqual({ pages: ["one", "two", "three"], total: 3 });
    expect(await reader.read(paper, { ...query(), from: 2, limit: 1 })).toEqual({ pages: ["two"], total: 3 });
    expect(await reader.read(paper, { ...query(), from: 4 })).toEqual({ pages: [], total: 3 });
  });

  test("end with the page that reaches the character limit", async () => {
    expect((await pdfReader().read(paper, { ...query(), maxCharacters: 5 })).pages).toEqual(["one", "two"]);
    expect((await pdfReader().read(paper, { ...query(), maxCharacters: 2 })).pages).toEqual(["on"]);
  });
});

describe("a PDF of two kilobytes that draws for days", () => {
  const endless = nestedPdf(12);

  test("is stopped at the deadline, and the event loop stays free", async () => {
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
    }, 20);
    const start = performance.now();
    await expect(pdfReader({ deadlineMs: 1_000 }).read(endless, query())).rejects.toMatchObject({
      code: "timed_out",
    });
    clearInterval(ticking);
    expect(endless.length).toBeLessThan(4_000);
    expect(performance.now() - start).toBeLessThan(90_000);
    // A reader that blocked this thread would let no timer run.
    expect(ticks).toBeGreaterThan(2);
  });

  test("is stopped when aborted, with the reason", async () => {
    const stop = new AbortController();
    const reading = pdfReader().read(endless, { ...query(), signal: stop.signal });
    setTimeout(() => stop.abort(new Error("enough")), 300);
    await expect(reading).rejects.toThrow("enough");
    await expect(pdfReader().read(endless, { ...query(), signal: stop.signal })).rejects.toThrow("enough");
  });
});

describe("a PDF that decompresses to very much", () => {
  const spaces = deflateSync(Buffer.alloc(1_000_000_000, 32));
  const runs = deflateSync(Buffer.alloc(60_000_000, Buffer.from([129, 32])));

  test.each([
    ["packed once", spaces, "/Filter /FlateDecode"],
    ["packed twice", deflateSync(spaces), "/Filter [/FlateDecode /FlateDecode]"],
    ["packed in two ways", runs, "/Filter [/FlateDecode /RunLengthDecode]"],
  ])("is stopped before it exhausts the memory of the machine: %s", async (_title, content, dictionary) => {
    const before = process.memoryUsage().rss;
    let most = 0;
    const looking = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - before);
    }, 10);
    const reading = pdfReader({ deadlineMs: 170_000 }).read(samplePdf([{ content, dictionary }]), query());
    await expect(reading).rejects.toMatchObject({ code: "too_large" });
    clearInterval(looking);
    expect(most).toBeLessThan(1_000_000_000);
  });
});

test("bytes that are not a PDF fail with a message", async () => {
  await expect(pdfReader().read(Buffer.from("%PDF-1.4\nnothing"), query())).rejects.toMatchObject({
    code: "tool_failed",
    message: "The PDF cannot be read: it is damaged, or no PDF.",
  });
});

test("a missing program or an invalid deadline is refused at once", () => {
  for (const options of [{ program: "/nowhere/pdf-worker.js" }, { deadlineMs: 0 }])
    expect(() => pdfReader(options)).toThrow(expect.objectContaining({ code: "invalid_option" }));
});

test("a program that does not respond is unavailable", async () => {
  const program = fileURLToPath(new URL("./sample-pdf.ts", import.meta.url));
  await expect(pdfReader({ program }).read(lines("one"), query())).rejects.toMatchObject({
    code: "unavailable",
  });
});
