/** A file type that is recognised by its first bytes. */
export interface FileKind {
  readonly name: string;
  /** Set for images that models accept. */
  readonly imageType?: string;
}

/** Begins with `RIFF`, its length and `WEBP`. */
export const WEBP: FileKind = { name: "WebP", imageType: "image/webp" };
const GIF: FileKind = { name: "GIF", imageType: "image/gif" };

/** Kinds by their first bytes. */
export const KINDS: readonly (readonly [string, FileKind])[] = [
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
