import { ToolFailure } from "@toolkeep/core";
import type { FilePatch } from "./file-patch.ts";
import { isEnvelope, parseEnvelope } from "./parse-envelope.ts";
import { noPatch, parseUnified } from "./parse-unified.ts";

const MOST_FILES = 200;
const MOST_HUNKS = 5_000;

/**
 * What a patch does to each file, in either form: between `*** Begin Patch` and `*** End Patch`, or as a unified diff.
 * @throws ToolFailure for a text that is not understood as a whole.
 */
export function parsePatch(text: string): readonly FilePatch[] {
  if (!text.isWellFormed())
    throw new ToolFailure("invalid_arguments", "The patch contains half a character (a lone surrogate).");
  const split = text.split("\n");
  const lines = split.at(-1) === "" ? split.slice(0, -1) : split;
  // A patch with the line endings of Windows throughout says nothing about those of the files.
  const isLong = lines.every((line) => line.endsWith("\r"));
  const plain = isLong ? lines.map((line) => line.slice(0, -1)) : lines;
  const files = isEnvelope(plain) ? parseEnvelope(plain) : parseUnified(plain);
  if (files.length === 0) throw noPatch();
  const hunks = files.reduce((sum, file) => sum + (file.kind === "add" ? 0 : file.hunks.length), 0);
  if (files.length > MOST_FILES || hunks > MOST_HUNKS)
    throw new ToolFailure(
      "too_large",
      `The patch has ${files.length} files and ${hunks} hunks; at most ${MOST_FILES} and ${MOST_HUNKS} are applied at once.`,
    );
  return files;
}
