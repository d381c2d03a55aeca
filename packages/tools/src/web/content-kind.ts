/** The kind of a response body, as far as it matters for display. */
export type ContentKind =
  | { readonly kind: "html" | "text" | "pdf" | "binary" }
  | { readonly kind: "image"; readonly mimeType: string };

/** Signatures of binary formats. */
const MAGIC: readonly (readonly [beginning: string, ContentKind])[] = [
  ["%PDF-", { kind: "pdf" }],
  ["\x89PNG\r\n\x1a\n", { kind: "image", mimeType: "image/png" }],
  ["\xff\xd8\xff", { kind: "image", mimeType: "image/jpeg" }],
  ["GIF87a", { kind: "image", mimeType: "image/gif" }],
  ["GIF89a", { kind: "image", mimeType: "image/gif" }],
];

const HTML_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/;
const TEXT_TYPE =
  /^text\/|^application\/(?:json|xml|javascript|ecmascript|yaml|toml|x-ndjson)$|\+(?:json|xml|yaml)$/;
const HTML_BEGINNING = /^\s*<(?:!doctype html|html|head|body|!--)/i;
const UTF_16 = /^(?:\xff\xfe|\xfe\xff)|^utf-?16/i;

/**
 * Detects the kind of a body by its first bytes, and by the declared type where those leave a choice. A wrong
 * declaration is ignored: an image stays an image, and binary data is not shown as text.
 */
export function contentKind(bytes: Uint8Array, declared: { type: string; charset?: string }): ContentKind {
  const beginning = latin1(bytes.subarray(0, 4_096));
  const known = MAGIC.find(([magic]) => beginning.startsWith(magic))?.[1];
  if (known !== undefined) return known;
  if (beginning.startsWith("RIFF") && beginning.slice(8, 12) === "WEBP")
    return { kind: "image", mimeType: "image/webp" };
  const isWide = UTF_16.test(beginning) || UTF_16.test(declared.charset ?? "");
  if (beginning.includes("\0") && !isWide) return { kind: "binary" };
  if (HTML_TYPE.test(declared.type)) return { kind: "html" };
  const mayBeHtml = !TEXT_TYPE.test(declared.type) || declared.type.endsWith("json");
  return { kind: mayBeHtml && HTML_BEGINNING.test(beginning) ? "html" : "text" };
}

/** Parses `text/html; charset="utf-8"`, in lower case. */
export function readContentType(header = ""): { type: string; charset?: string } {
  const type = header.split(/[;,]/, 1)[0]?.trim().toLowerCase() ?? "";
  const charset = /;\s*charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(header)?.[1]?.toLowerCase();
  return charset === undefined ? { type } : { type, charset };
}

/** Each byte as the character of its number. */
export function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
