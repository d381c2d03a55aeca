import type { Transform } from "node:stream";
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from "node:zlib";
import { ToolFailure } from "@toolkeep/core";

/** A window of 8 MB, which is the most that a sender may ask for on the web. */
const ZSTD_WINDOW = 23;

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW } }),
};

/**
 * What undoes a content coding; `undefined` where there is none to undo.
 * @throws ToolFailure `unavailable` for a coding we do not know, and for codings within codings: no honest
 * server sends them, and each one multiplies what a few bytes become.
 */
export function decoderOf(codings: readonly string[]): Transform | undefined {
  const names = codings
    .flatMap((line) => line.toLowerCase().split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  const [name] = names;
  if (name === undefined) return undefined;
  const make = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (names.length === 1 && make !== undefined) return make();
  throw new ToolFailure("unavailable", "The answer is compressed in a way that is not understood.");
}
