import { defineTool, output, ToolFailure } from "@toolkeep/core";
import { fsRead, fsWrite } from "@toolkeep/core/internal";
import { ambiguous, missing } from "./edit-failures.ts";
import { editableText } from "./editable-text.ts";
import { findMatches, type Span } from "./find-matches.ts";
import { PATH, placeOf, WRITES } from "./path-arguments.ts";
import { type Replaced, replaceMatches } from "./replace-matches.ts";
import { countLines, type SearchedText, searchedText } from "./searched-text.ts";
import { SEEN_FILES, type SeenFiles } from "./seen-files.ts";
import { diffChanges } from "./unified-diff.ts";

export interface EditOptions {
  /** What the session has seen of files. Must be the one that its `read` and `write` have. */
  readonly seen?: SeenFiles;
}

const PART = { type: "string", maxLength: 1_000_000 } as const;

/**
 * Makes the tool `edit`: one text in the place of another, exactly. Encoding and line endings stay as they are,
 * and so does every byte outside of the match.
 */
export function editTool({ seen = SEEN_FILES }: EditOptions = {}) {
  return defineTool({
    name: "edit",
    label: "Edit",
    description:
      "Replaces a text in a file. `old_string` must be in the file exactly once, with its white space and without line numbers; give more of the lines around it to make it unique, or set `replace_all`.",
    mode: "safe_write",
    kind: "edit",
    inputSchema: {
      type: "object",
      properties: {
        path: PATH,
        old_string: { ...PART, minLength: 1, description: "The text to replace." },
        new_string: { ...PART, description: "What to put in its place. Taken literally." },
        replace_all: { type: "boolean", description: "Replace every occurrence. Default: false." },
      },
      required: ["path", "old_string", "new_string"],
      additionalProperties: false,
    } as const,
    requires: { fs: { read: WRITES, write: WRITES } },
    effects: ({ path }) => [fsRead(path), fsWrite(path)],
    async execute({ path, old_string, new_string, replace_all = false }, ctx) {
      const order: Order = { path, old: old_string, fresh: new_string, all: replace_all };
      refuseUseless(order);
      const { bytes, version } = await ctx.io.files.read(path);
      const place = placeOf(ctx, path);
      const known = seen.get(place);
      if (known !== undefined && known.version !== version) throw changed(path);
      const text = editableText(bytes, old_string + new_string);
      if (text === undefined) throw binary(path);
      const body = searchedText(text.body);
      const replaced = replaceIn(body, order);
      const content = text.encode(replaced.bytes);
      const diff = await diffChanges(path, body, replaced);
      const written = await ctx.io.files.write(path, content, { expects: version });
      // Who knew a part of it knows no more of it now.
      const whole = known?.bytes === undefined ? {} : { bytes: content };
      if (known !== undefined) seen.set(place, { version: written.version, ...whole });
      return output({ data: confirmation(path, body, replaced), details: { path: place.path, diff } });
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
      hint: "Say what should be different.",
    });
  if (!old.isWellFormed() || !fresh.isWellFormed())
    throw new ToolFailure("invalid_arguments", "The text holds half a character (a lone surrogate).");
}

/** As it is written; and if it is not there, with any line endings. Who writes `\r` means it. */
function replaceIn(text: SearchedText, order: Order): Replaced {
  const { old, fresh } = order;
  const speaksOfReturns = old.includes("\r") || fresh.includes("\r");
  const literal = speaksOfReturns ? matchesOf(text, order, { wanted: old, anyLineEnding: false }) : [];
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

interface Search {
  readonly wanted: string;
  readonly anyLineEnding: boolean;
}

function matchesOf(
  text: SearchedText,
  { path, all }: Order,
  { wanted, anyLineEnding }: Search,
): readonly Span[] {
  const bytes = ENCODER.encode(wanted);
  const most = all ? MOST_REPLACED + 1 : MOST_SHOWN;
  const matches = findMatches(text, { bytes, anyLineEnding, mayOverlap: !all, most });
  if (!all && matches.length > 1) throw ambiguous({ path, text, matches, most });
  if (matches.length > MOST_REPLACED)
    throw new ToolFailure(
      "too_large",
      `The text is in ${JSON.stringify(path)} more than ${MOST_REPLACED} times.`,
      {
        hint: "Replace a longer text, or write the file anew.",
      },
    );
  return matches;
}

function confirmation(path: string, body: SearchedText, { changes }: Replaced): string {
  const [first] = changes;
  if (changes.length > 1) return `Replaced ${changes.length} occurrences in ${path}.`;
  return `Replaced 1 occurrence in ${path}, line ${countLines(body, 0, first?.start ?? 0) + 1}.`;
}

function changed(path: string): ToolFailure {
  return new ToolFailure("conflict", `${JSON.stringify(path)} was changed since this session read it.`, {
    hint: "Read it again before you edit it.",
  });
}

function binary(path: string): ToolFailure {
  return new ToolFailure("tool_failed", `${JSON.stringify(path)} is no text: it cannot be edited.`);
}
