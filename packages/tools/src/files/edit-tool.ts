import { defineTool, ToolFailure, toolOutput } from "@toolkeep/core";
import { fsRead } from "@toolkeep/core/internal";
import { ambiguous, changedSince, missing, notText, refuseMarks } from "./edit-failures.ts";
import { editing } from "./edited-file.ts";
import { EDIT_INPUT } from "./file-inputs.ts";
import { findMatches } from "./find-matches.ts";
import type { Span } from "./match-linearly.ts";
import { targetOf, WRITES } from "./path-arguments.ts";
import { type Replaced, replaceMatches } from "./replace-matches.ts";
import { SearchedText } from "./searched-text.ts";
import { SEEN_FILES } from "./seen-files.ts";
import { encodeText, markOf, readTextForm, shownText } from "./text-form.ts";
import { diffChanges } from "./unified-diff.ts";

/** What marks in place of secrets begin with. */
const MARK = "[redacted:";

/** The tool `edit`: replaces an exact text in a file. Encoding, line endings and all other bytes stay. */
export function editTool() {
  return defineTool({
    name: "edit",
    label: "Edit",
    description:
      "Replaces a text in a file. `old_string` must occur in the file exactly once, with its white space and without line numbers; add more of the surrounding lines to make it unique, or set `replace_all`.",
    mode: "safe_write",
    kind: "edit",
    inputSchema: EDIT_INPUT,
    requires: { fs: { read: WRITES, write: WRITES } },
    effects: ({ path, old_string, new_string }) => [fsRead(path), editing(path, old_string, new_string)],
    async execute({ path, old_string, new_string, replace_all = false }, ctx) {
      const order: Order = { path, old: old_string, fresh: new_string, all: replace_all };
      refuseUseless(order);
      const { bytes, version } = await ctx.io.files.read(path);
      const target = targetOf(ctx, path);
      const seenFile = SEEN_FILES.get(target);
      if (seenFile !== undefined && seenFile.version !== version) throw changedSince(path);
      const text = editableText(bytes, old_string + new_string);
      if (text === undefined) throw notText(path);
      const body = new SearchedText(text.body);
      if (new_string.includes(MARK)) refuseMarks(path, new_string, shownText(body.bytes));
      const replaced = replaceIn(body, order);
      const content = text.encode(replaced.bytes);
      const diff = await diffChanges(path, body, replaced);
      const written = await ctx.io.files.write(path, content, { expects: version });
      // A session that had seen a part of the file has not seen the whole of it now.
      const whole = seenFile?.bytes === undefined ? {} : { bytes: content };
      if (seenFile !== undefined) SEEN_FILES.set(target, { version: written.version, ...whole });
      return toolOutput({ data: confirmation(path, body, replaced), details: { path: target.path, diff } });
    },
  });
}

interface Order {
  readonly path: string;
  readonly old: string;
  readonly fresh: string;
  readonly all: boolean;
}

function refuseUseless({ old, fresh }: Order): void {
  if (old === fresh)
    throw new ToolFailure("invalid_arguments", "`old_string` and `new_string` are the same.", {
      hint: "Give a `new_string` that differs from `old_string`.",
    });
  if (!old.isWellFormed() || !fresh.isWellFormed())
    throw new ToolFailure("invalid_arguments", "The text contains half a character (a lone surrogate).");
}

/** Searches for the exact text first, then with any line endings. A `\r` in the text is always literal. */
function replaceIn(text: SearchedText, order: Order): Replaced {
  const { old, fresh } = order;
  const hasReturns = old.includes("\r") || fresh.includes("\r");
  const literal = hasReturns ? matchesOf(text, order, { wanted: old, anyLineEnding: false }) : [];
  if (literal.length > 0)
    return replaceMatches(text.bytes, literal, { bytes: ENCODER.encode(fresh), adoptsLineEndings: false });
  const matches = matchesOf(text, order, { wanted: plain(old), anyLineEnding: true });
  if (matches.length === 0) throw missing(order.path, text, old);
  return replaceMatches(text.bytes, matches, {
    bytes: ENCODER.encode(plain(fresh)),
    adoptsLineEndings: true,
  });
}

const ENCODER = new TextEncoder();
const MOST_REPLACED = 100_000;
const MOST_SHOWN = 6;

function plain(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

function matchesOf(
  text: SearchedText,
  { path, all }: Order,
  { wanted, anyLineEnding }: { readonly wanted: string; readonly anyLineEnding: boolean },
): readonly Span[] {
  const bytes = ENCODER.encode(wanted);
  const most = all ? MOST_REPLACED + 1 : MOST_SHOWN;
  const matches = findMatches(text, { bytes, anyLineEnding, mayOverlap: !all, most });
  if (!all && matches.length > 1) throw ambiguous({ path, text, matches, most });
  if (matches.length > MOST_REPLACED)
    throw new ToolFailure(
      "too_large",
      `The text occurs in ${JSON.stringify(path)} more than ${MOST_REPLACED} times.`,
      {
        hint: "Replace a longer text, or write the whole file.",
      },
    );
  return matches;
}

function confirmation(path: string, body: SearchedText, { changes }: Replaced): string {
  const [first] = changes;
  if (changes.length > 1) return `Replaced ${changes.length} occurrences in ${path}.`;
  return `Replaced 1 occurrence in ${path}, line ${body.lineAt(first?.start ?? 0)}.`;
}

/** The text of a file as UTF-8 bytes. */
interface EditableText {
  readonly body: Uint8Array;
  /** Encodes a text as the file was encoded. @throws ToolFailure for characters that its encoding lacks. */
  encode(body: Uint8Array): Uint8Array;
}

/**
 * Opens a file for a change that searches for, or adds, the given characters. Returns `undefined` for a binary file.
 * Decodes only where it must: ASCII bytes are the same in UTF-8 and in most older encodings.
 */
function editableText(bytes: Uint8Array, characters: string): EditableText | undefined {
  const { encoding, markBytes } = markOf(bytes);
  if (encoding === "utf-8" && !NOT_PLAIN.test(characters))
    return bytes.subarray(0, LOOKED_AT).includes(0) ? undefined : inPlace(bytes, markBytes);
  const content = readTextForm(bytes);
  if (content.isBinary) return undefined;
  const { text, form } = content;
  if (form.encoding === "utf-8") return inPlace(bytes, markBytes);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return {
    body: new TextEncoder().encode(text),
    encode: (body) => encodeText(decoder.decode(body), form),
  };
}

const NOT_PLAIN = /[^\0-\x7f]/;
const LOOKED_AT = 65_536;

function inPlace(bytes: Uint8Array, markBytes: number): EditableText {
  return {
    body: bytes.subarray(markBytes),
    encode(body) {
      if (markBytes === 0) return body;
      const marked = new Uint8Array(markBytes + body.length);
      marked.set(bytes.subarray(0, markBytes));
      marked.set(body, markBytes);
      return marked;
    },
  };
}
