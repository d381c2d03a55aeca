/** A file type that is recognised by its first bytes. */
export interface FileKind {
  readonly name: string;
  /** Set for images that models accept. */
  readonly imageType?: string;
}

/** Returns `undefined` for an unknown type. */
export function fileKind(head: Uint8Array): FileKind | undefined {
  // One character for each byte.
  const start = String.fromCharCode(...head.subarray(0, 16));
  if (start.startsWith("RIFF") && start.startsWith("WEBP", 8)) return WEBP;
  return KINDS.find(([magic]) => start.startsWith(magic))?.[1];
}

const WEBP: FileKind = { name: "WebP", imageType: "image/webp" };
const GIF: FileKind = { name: "GIF", imageType: "image/gif" };

const KINDS: readonly (readonly [string, FileKind])[] = [
  ["\x89PNG\r\n\x1a\n", { name: "PNG", imageType: "image/png" }],
  ["\xff\xd8\xff", { name: "JPEG", imageType: "image/jpeg" }],
  ["GIF87a", GIF],
  ["GIF89a", GIF],
  ["%PDF-", { name: "PDF" }],
  ["PK\x03\x04", { name: "a ZIP archive" }],
  ["\x1f\x8b", { name: "a gzip archive" }],
  ["\x7fELF", { name: "a program (ELF)" }],
  ["SQLite format 3\0", { name: "an SQLite database" }],
  ["\0asm", { name: "a WebAssembly module" }],
];
