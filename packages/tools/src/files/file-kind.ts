import { type FileKind, KINDS, WEBP } from "./file-signatures.ts";

/** Returns `undefined` for an unknown type. */
export function fileKind(head: Uint8Array): FileKind | undefined {
  // One character for each byte.
  const start = String.fromCharCode(...head.subarray(0, 16));
  if (start.startsWith("RIFF") && start.startsWith("WEBP", 8)) return WEBP;
  return KINDS.find(([magic]) => start.startsWith(magic))?.[1];
}
