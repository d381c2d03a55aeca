import { pdfReader } from "@toolkeep/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { webFetchTool } from "../../packages/tools/src/web/web-fetch-tool.ts";
import { linePage, samplePdf } from "./sample-pdf.ts";
import { callOnce, type WebBench, webBench } from "./web-bench.ts";

/** The smallest image. */
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

describe("text is decoded", () => {
  const CASES: readonly [title: string, type: string | undefined, body: Uint8Array, expected: string][] = [
    ["as the server declares", "text/plain; charset=windows-1251", Buffer.from([0xcf, 0xf0, 0xe8]), "При"],
    ["in quotes and capitals", 'text/plain; Charset="UTF-8"', Buffer.from("café"), "café"],
    [
      "as the page declares if the server does not",
      "text/html",
      Buffer.concat([Buffer.from('<meta charset="shift_jis"><p>'), Buffer.from([0x93, 0xfa, 0x96, 0x7b])]),
      "日本",
    ],
    [
      "as the page declares if the server is wrong",
      "text/html; charset=utf-8",
      Buffer.concat([
        Buffer.from('<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2"><p>'),
        Buffer.from([0xb1, 0xe6]),
      ]),
      "ąć",
    ],
    [
      "as UTF-8 if the server only sends its default",
      "text/html; charset=iso-8859-1",
      Buffer.from("<p>naïve"),
      "naïve",
    ],
    ["as Latin-1 if it is Latin-1", "text/plain; charset=iso-8859-1", Buffer.from([0x6e, 0xef]), "nï"],
    [
      "as the XML declaration says",
      "application/xml",
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="koi8-r"?>'), Buffer.from([0xd2])]),
      '<?xml version="1.0" encoding="koi8-r"?>р',
    ],
    [
      "by its byte order mark, whatever the server declares",
      "text/plain; charset=utf-8",
      Buffer.from([0xff, 0xfe, 0x41, 0, 0xe9, 0]),
      "Aé",
    ],
    [
      "as UTF-8 if a page wrongly declares UTF-16",
      "text/html",
      Buffer.from('<meta charset="utf-16"><p>né'),
      "né",
    ],
    ["as windows-1252 if nothing is declared", "text/plain", Buffer.from([0x93, 0x68, 0x69, 0x94]), "“hi”"],
    [
      "as UTF-8 if the server declares an unknown name",
      "text/plain; charset=klingon",
      Buffer.from("ok"),
      "ok",
    ],
  ];

  test.each(CASES)("%s", async (_title, type, body, expected) => {
    expect(await textOf(body, type)).toBe(expected);
  });
});

describe("the declared type is used as far as it can be true", () => {
  test("an image declared as a page is an image", async () => {
    const { data, content } = await get(PNG, "text/html");
    expect(content?.[1]).toMatchObject({
      type: "image",
      mimeType: "image/png",
      data: PNG.toString("base64"),
    });
    expect(data).toMatchObject({ status: 200, url: `${bench.origin}/x` });
  });

  test("a page declared as an image, as JSON or not at all is a page", async () => {
    const page = "<!DOCTYPE html><h1>Sorry</h1>";
    for (const type of ["image/png", "application/json", "application/octet-stream", "", undefined])
      expect(await textOf(page, type)).toBe("# Sorry");
  });

  test("a page declared as plain text stays unchanged", async () => {
    expect(await textOf("<!DOCTYPE html><h1>Code</h1>", "text/plain")).toBe("<!DOCTYPE html><h1>Code</h1>");
  });

  test("binary data is named and not shown", async () => {
    const zip = Buffer.concat([Buffer.from("PK\x03\x04"), Buffer.alloc(500), Buffer.from("CANARY")]);
    const { failure } = await get(zip, "text/plain");
    expect(failure?.code).toBe("tool_failed");
    expect(failure?.message).toBe('The address leads to 510 bytes of type "text/plain" that are not text.');
  });

  test("an image that is too large is refused", async () => {
    expect((await get(Buffer.concat([PNG, Buffer.alloc(200_000)]), "image/png")).failure?.code).toBe(
      "too_large",
    );
  });
});

describe("a PDF", () => {
  test("is read page by page, whatever type the server declares", async () => {
    const { data } = await get(samplePdf([linePage("First words"), linePage("Last words")]), "text/plain");
    expect(data).toMatchObject({ pages: 2, output: "[page 1]\nFirst words\n\n[page 2]\nLast words" });
  });

  test("is named and not shown without a PDF reader", async () => {
    const body = samplePdf([linePage("First words")]);
    answer = { type: "application/pdf", body };
    const { failure } = await callOnce(bench, webFetchTool(), { url: `${bench.origin}/x` });
    expect(failure?.message).toBe(
      `The address leads to a PDF of ${body.length} bytes. This session has no PDF reader.`,
    );
  });

  test("that is damaged fails with a message", async () => {
    expect(await textOf(`%PDF-1.4\n${"x".repeat(1_000)}`)).toMatch(/^tool_failed: The PDF cannot be read/);
  });
});
