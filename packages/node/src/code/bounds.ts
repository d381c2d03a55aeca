import type { CodeError } from "@toolkeep/core/ports";

/** What a program in any language may use and return. */
export const BOUNDS = Object.freeze({
  /** For JavaScript, which has no libraries. */
  javascriptBytes: 64 * 2 ** 20,
  stackBytes: 256 * 2 ** 10,
  /** Of each process. */
  pythonBytes: 2 ** 30,
  processes: 32,
  fileBytes: 64 * 2 ** 20,
  /** Of everything that a process writes, figures included. */
  writtenBytes: 16 * 2 ** 20,
  outputCharacters: 100_000,
  valueCharacters: 100_000,
  messageCharacters: 4_000,
  figures: 4,
  figureBytes: 2 ** 20,
});

export function tooSlow(timeoutMs: number): CodeError {
  return { message: `It took longer than ${timeoutMs} ms and was ended.` };
}
