import { pdfReader } from "@toolkeep/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { webFetchTool } from "../../packages/tools/src/web/web-fetch-tool.ts";
import { linePage, samplePdf } from "./sample-pdf.ts";
import { callOnce, type WebBench, webBench } from "./web-bench.ts";

/** The smallest picture there is. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

let answer: { readonly type?: string | undefined; readonly body: string | Uint8Array };
let bench: WebBench;

beforeAll(async () => {
  bench = await webBench((_request, response) => {
    response
      .writeHead(200, answer.type === undefined ? {} : { "content-type": answer.type })
      .end(answer.body);
  });
});
afterAll(() => bench.close());

function get(body: string | Uint8Array, type?: string) {
  answer = { type, body };
  return callOnce(bench, webFetchTool({ pdf: pdfReader() }), { url: `${bench.origin}/x` });
}

async function textOf(body: string | Uint8Array, type?: string): Promise<string> {
  const { data, failure } = await get(body, type);
  return (data as { output?: string } | undefined)?.output ?? `${failure?.code}: ${failure?.message}`;
}

describe("text is read as it was written", () => {
  const CASES: readonly [title: string, type: string | undefined, body: Uint8Array, expected: string][] = [
    ["as the server says", "text/plain; charset=windows-1251", Buffer.from([0xcf, 0xf0, 0xe8]), "При"],
    ["in quotes and capitals", 'text/plain; Charset="UTF-8"', Buffer.from("café"), "café"],
    [
      "as the page says where the server does not",
      "text/html",
      Buffer.concat([Buffer.from('<meta charset="shift_jis"><p>'), Buffer.from([0x93, 0xfa, 0x96, 0x7b])]),
      "日本",
    ],
    [
      "as the page says where the server is wrong",
      "text/html; charset=utf-8",
      Buffer.concat([
        Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2"><p>'),
        Buffer.from([0xb1, 0xe6]),
      ]),
      "ąć",
    ],
    [
      "as UTF-8 where the server only has a habit",
      "text/html; charset=iso-8859-1",
      Buffer.from("<p>naïve"),
      "naïve",
    ],
    ["as Latin-1 where it really is", "text/plain; charset=iso-8859-1", Buffer.from([0x6e, 0xef]), "nï"],
    [
      "as the declaration of XML says",
      "application/xml",
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="koi8-r"?>'), Buffer.from([0xd2])]),
      '<?xml version="1.0" encoding="koi8-r"?>р',
    ],
    [
      "by its mark, whatever the server says",
      "text/plain; charset=utf-8",
      Buffer.from([0xff, 0xfe, 0x41, 0, 0xe9, 0]),
      "Aé",
    ],
    [
      "as UTF-8 where a page takes itself for UTF-16",
      "text/html",
      Buffer.from('<meta charset="utf-16"><p>né'),
      "né",
    ],
    ["by habit where nobody says anything", "text/plain", Buffer.from([0x93, 0x68, 0x69, 0x94]), "“hi”"],
    ["by habit where the server invents a name", "text/plain; charset=klingon", Buffer.from("ok"), "ok"],
  ];

  test.each(CASES)("%s", async (_title, type, body, expected) => {
    expect(await textOf(body, type)).toBe(expected);
  });
});

describe("what a server calls it is believed as far as it can be true", () => {
  test("a picture that is called a page is a picture", async () => {
    const { data, content } = await get(PNG, "text/html");
    expect(content?.[1]).toMatchObject({
      type: "image",
      mimeType: "image/png",
      data: PNG.toString("base64"),
    });
    expect(data).toMatchObject({ status: 200, url: `${bench.origin}/x` });
  });

  test("a page that is called a picture, JSON or nothing is a page", async () => {
    const page = "<!DOCTYPE html><h1>Sorry</h1>";
    for (const type of ["image/png", "application/json", "application/octet-stream", "", undefined])
      expect(await textOf(page, type)).toBe("# Sorry");
  });

  test("a page that is called plain text stays as it was written", async () => {
    expect(await textOf("<!DOCTYPE html><h1>Code</h1>", "text/plain")).toBe("<!DOCTYPE html><h1>Code</h1>");
  });

  test("bytes that are no text are named and not shown", async () => {
    const zip = Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(500), Buffer.from("CANARY")]);
    const { failure } = await get(zip, "text/plain");
    expect(failure?.code).toBe("tool_failed");
    expect(failure?.message).toBe('The address leads to 510 bytes of type "text/plain" that are no text.');
  });

  test("a picture that is too large to be shown is refused", async () => {
    expect((await get(Buffer.concat([PNG, Buffer.alloc(200_000)]), "image/png")).failure?.code).toBe(
      "too_large",
    );
  });
});

describe("a PDF", () => {
  test("is read page by page, whatever the server calls it", async () => {
    const { data } = await get(samplePdf([linePage("First words"), linePage("Last words")]), "text/plain");
    expect(data).toMatchObject({ pages: 2, output: "[page 1]\nFirst words\n\n[page 2]\nLast words" });
  });

  test("is named and not shown where nobody reads PDFs", async () => {
    const body = samplePdf([linePage("First words")]);
    answer = { type: "application/pdf", body };
    const { failure } = await callOnce(bench, webFetchTool(), { url: `${bench.origin}/x` });
    expect(failure?.message).toBe(
      `The address leads to a PDF of ${body.length} bytes. PDFs are not read in this session.`,
    );
  });

  test("that is damaged fails with words", async () => {
    expect(await textOf(`%PDF-1.4\n${"x".repeat(1_000)}`)).toMatch(/^tool_failed: The PDF cannot be read/);
  });
});
