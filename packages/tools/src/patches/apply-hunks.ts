import { ToolFailure } from "@toolkeep/core";
import { similarText } from "../files/edit-failures.ts";
import { endedLine, type Hunk, type HunkLine, type Line, linesOf, textOf } from "./file-patch.ts";

/**
 * The text after all hunks, in their order. A hunk of a unified diff goes where `git apply` puts it: the nearest place
 * to its line number that has all of its lines. Where there is none, and for other hunks, line endings are left out of
 * the comparison, and new lines get those of their neighbours.
 * @throws ToolFailure `conflict` for a hunk that does not fit, with the lines that are nearest to it.
 */
export function applyHunks(path: string, text: string, hunks: readonly Hunk[]): string {
  const image = new Image(text);
  for (const [index, hunk] of hunks.entries()) {
    const place = image.find(hunk);
    if (place === undefined) throw misfit({ path, hunk, number: index + 1, now: image.text() });
    image.replace(hunk, place);
  }
  return image.text();
}

interface FileLine extends Line {
  /** A hunk has left it: no other one may expect it. */
  readonly isPatched?: true;
}

interface Place {
  readonly start: number;
  /** Lines are taken as the patch has them, with their endings. */
  readonly isLiteral: boolean;
}

/** How lines are compared, and where they may be. */
interface Search {
  readonly wanted: readonly HunkLine[];
  readonly isSame: (line: FileLine, wanted: HunkLine) => boolean;
}

const MOST_COMPARED = 50_000_000;

class Image {
  #lines: readonly FileLine[];
  /** Where the last hunk ended. */
  #cursor = 0;
  #compared = 0;
  readonly #wasUnended: boolean;

  constructor(text: string) {
    this.#lines = splitLines(text);
    this.#wasUnended = this.#lines.at(-1)?.ending === "";
  }

  text(): string {
    return textOf(this.#lines);
  }

  find(hunk: Hunk): Place | undefined {
    const wanted = linesOf(hunk, "old");
    if (hunk.position !== undefined) return this.#findByNumber(hunk, hunk.position, wanted);
    const from = this.#afterAnchors(hunk.anchors);
    if (from === undefined) return undefined;
    const hasReturns = hunk.lines.some(({ ending }) => ending === "\r\n");
    const literal = hasReturns ? this.#findFrom(from, hunk, { wanted, isSame: isSameOrUnended }) : undefined;
    if (literal !== undefined) return { start: literal, isLiteral: true };
    const start = this.#findFrom(from, hunk, { wanted, isSame: isSamePlain });
    return start === undefined ? undefined : { start, isLiteral: false };
  }

  /** Makes the change at a place. */
  replace({ lines }: Hunk, { start, isLiteral }: Place): void {
    const made: FileLine[] = [];
    let at = start;
    for (const { mark, text, ending } of lines) {
      if (mark === "+")
        made.push({ text, ending: isLiteral ? ending : this.#endingNear(at), isPatched: true });
      else {
        const line = this.#lines[at];
        if (mark === " " && line !== undefined) made.push({ ...line, isPatched: true });
        at += 1;
      }
    }
    const all = [...this.#lines.slice(0, start), ...made, ...this.#lines.slice(at)];
    this.#lines = isLiteral ? all : this.#withSameEnd(all);
    this.#cursor = start + made.length;
  }

  /** The ending of the line before, or else of the next one that has any. */
  #endingNear(at: number): Line["ending"] {
    const near = [this.#lines[at - 1], this.#lines[at], this.#lines[at - 2]];
    return near.find((line) => line !== undefined && line.ending !== "")?.ending ?? "\n";
  }

  /** Only the last line may lack an ending: it does if that of the old text did. */
  #withSameEnd(lines: readonly FileLine[]): readonly FileLine[] {
    const last = lines.length - 1;
    return lines.map((line, index): FileLine => {
      const lacksEnding = index === last && this.#wasUnended;
      if (lacksEnding) return { ...line, ending: "" };
      return line.ending === "" ? { ...line, ending: this.#endingNear(this.#lines.length) } : line;
    });
  }

  #findByNumber(hunk: Hunk, { old, fresh }: NonNullable<Hunk["position"]>, wanted: readonly HunkLine[]) {
    const last = this.#lines.length - wanted.length;
    const isFirst = old <= 1;
    const isLast = hunk.lines.at(-1)?.mark !== " ";
    const exact = { wanted, isSame: isSameLine };
    const fits = (start: number) =>
      (!isFirst || start === 0) && (!isLast || start === last) && this.#fits(start, exact);
    const near = isFirst ? 0 : isLast ? last : Math.max(fresh - 1, 0);
    const start = this.#nearest(near, last, fits);
    if (start !== undefined) return { start, isLiteral: true };
    const plain = { wanted, isSame: isSamePlain };
    const similar =
      wanted.length === 0 ? undefined : this.#nearest(fresh - 1, last, (one) => this.#fits(one, plain));
    return similar === undefined ? undefined : { start: similar, isLiteral: false };
  }

  /** Further away in both directions, and forwards first. */
  #nearest(wanted: number, last: number, fits: (start: number) => boolean): number | undefined {
    if (last < 0) return undefined;
    const near = Math.min(Math.max(wanted, 0), last);
    for (let away = 0; near + away <= last || near - away >= 0; away += 1) {
      if (near + away <= last && fits(near + away)) return near + away;
      if (away > 0 && near - away >= 0 && fits(near - away)) return near - away;
    }
    return undefined;
  }

  #afterAnchors(anchors: readonly string[]): number | undefined {
    let from = this.#cursor;
    for (const anchor of anchors) {
      const wanted = anchor.trim();
      const found = this.#lines.findIndex(({ text }, index) => index >= from && text.trim() === wanted);
      if (found === -1) return undefined;
      from = found + 1;
    }
    return from;
  }

  #findFrom(from: number, { anchors, atEnd }: Hunk, search: Search): number | undefined {
    const last = this.#lines.length - search.wanted.length;
    if (search.wanted.length === 0) return anchors.length > 0 && !atEnd ? from : last;
    for (let start = atEnd ? Math.max(last, from) : from; start <= last; start += 1)
      if (this.#fits(start, search)) return start;
    return undefined;
  }

  #fits(start: number, { wanted, isSame }: Search): boolean {
    return wanted.every((one, index) => {
      this.#compared += 1;
      if (this.#compared > MOST_COMPARED)
        throw new ToolFailure("too_large", "The patch is too large for this file.", {
          hint: "Split it into smaller ones.",
        });
      const line = this.#lines[start + index];
      return line !== undefined && line.isPatched !== true && isSame(line, one);
    });
  }
}

function splitLines(text: string): readonly FileLine[] {
  const parts = text.split("\n");
  const last = parts.pop() ?? "";
  const lines = parts.map(endedLine);
  return last === "" ? lines : [...lines, { text: last, ending: "" }];
}

function isSameLine(line: Line, wanted: Line): boolean {
  return line.text === wanted.text && line.ending === wanted.ending;
}

function isSameOrUnended(line: Line, wanted: Line): boolean {
  return line.text === wanted.text && (line.ending === wanted.ending || line.ending === "");
}

function isSamePlain(line: Line, wanted: Line): boolean {
  return line.text === wanted.text;
}

interface Misfit {
  readonly path: string;
  readonly hunk: Hunk;
  /** The number of the hunk in its file, from 1. */
  readonly number: number;
  /** The text after the hunks before it. */
  readonly now: string;
}

function misfit({ path, hunk, number, now }: Misfit): ToolFailure {
  const name = `Hunk ${number} of ${JSON.stringify(path)} (line ${hunk.patchLine} of the patch)`;
  const plain = now.replaceAll("\r\n", "\n");
  const anchor = hunk.anchors.find((one) => !plain.split("\n").some((line) => line.trim() === one.trim()));
  if (anchor !== undefined) {
    const { near } = similarText(now, anchor);
    return new ToolFailure("conflict", `${name}: there is no line ${JSON.stringify(anchor)}.${near}`);
  }
  const { near, hint } = similarText(now, textOf(linesOf(hunk, "old")).trimEnd());
  const isApplied = plain.includes(textOf(linesOf(hunk, "new")).replaceAll("\r\n", "\n"));
  return new ToolFailure("conflict", `${name} does not fit.${near}`, {
    hint: isApplied ? "The file has the new lines already." : hint,
  });
}
