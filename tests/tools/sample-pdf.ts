import { deflateSync } from "node:zlib";

export interface PdfPage {
  /** The operators that draw the page. */
  readonly content: Uint8Array;
  /** Further entries of its dictionary, e.g. its compression. */
  readonly dictionary?: string;
}

/** A page that shows one line. */
export function linePage(line: string): PdfPage {
  const content = deflateSync(`BT /F1 12 Tf 10 100 Td (${line}) Tj ET`);
  return { content, dictionary: "/Filter /FlateDecode" };
}

/** A valid PDF of some pages, with its cross-reference table. */
export function samplePdf(pages: readonly PdfPage[]): Buffer {
  const first = 4;
  const kids = pages.map((_, index) => `${first + 2 * index} 0 R`).join(" ");
  const objects: Buffer[] = [
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`),
    Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
    ...pages.flatMap(({ content, dictionary = "" }, index) => [
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents ${first + 2 * index + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      ),
      Buffer.concat([
        Buffer.from(`<< /Length ${content.byteLength} ${dictionary} >>\nstream\n`),
        content,
        Buffer.from("\nendstream"),
      ]),
    ]),
  ];
  return bound(objects);
}

/** A PDF of one page whose content draws a form ten times, which draws another, to the given depth. */
export function nestedPdf(levels: number): Buffer {
  const form = (level: number) => {
    const isLast = level === levels - 1;
    const content = isLast ? "BT /F1 12 Tf 10 100 Td (a) Tj ET" : "/X Do\n".repeat(10);
    const inner = isLast ? "" : `/XObject << /X ${7 + level} 0 R >>`;
    return `<< /Type /XObject /Subtype /Form /BBox [0 0 300 300] /Resources << /Font << /F1 3 0 R >> ${inner} >> /Length ${content.length} >>\nstream\n${content}\nendstream`;
  };
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 5 0 R /Resources << /XObject << /X 6 0 R >> >> >>",
    "<< /Length 6 >>\nstream\n/X Do\n\nendstream",
    ...Array.from({ length: levels }, (_, level) => form(level)),
  ];
  return bound(objects.map((object) => Buffer.from(object)));
}

function bound(objects: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [Buffer.from("%PDF-1.4\n")];
  const directories: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    directories.push(length);
    parts.push(part);
    length += part.length;
  }
  const rows = directories.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${length}\n%%EOF`;
  return Buffer.concat([...parts, Buffer.from(table)]);
}
