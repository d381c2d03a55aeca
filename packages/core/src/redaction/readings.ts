import type { SecretSpan } from "../contract/store/store.ts";
import {
  CONTROL,
  CONTROLS,
  ENTITIES,
  ESCAPED,
  HAS_ESCAPE,
  SAYS_NOTHING,
  WRITTEN,
} from "./control-patterns.ts";

/** A text as it reads without some characters, and where the rest stands in the text itself. */
export interface Reading {
  readonly text: string;
  /** Spans of the reading as spans of the text. */
  inText(spans: readonly SecretSpan[]): readonly SecretSpan[];
}

/** Reads a text with the matches of a pattern replaced. `undefined` where it has none. */
function readAs(text: string, pattern: RegExp, replace: (found: string) => string): Reading | undefined {
  /** Where the parts begin and end, in the reading and in the text. */
  const [starts, sources, ends]: [number[], number[], number[]] = [[], [], []];
  const kept: { readonly start: number; readonly end: number }[] = [];
  let [read, at] = ["", 0];
  const add = (part: string, source: number, end: number) => {
    if (part === "") return;
    starts.push(read.length);
    sources.push(source);
    ends.push(end);
    read += part;
  };
  for (const { 0: found, index } of text.matchAll(pattern)) {
    add(text.slice(at, index), at, index);
    at = index + found.length;
    const written = replace(found);
    add(written, index, at);
    if (written === "" && !SAYS_NOTHING.test(found)) kept.push({ start: index, end: at });
  }
  if (at === 0) return undefined;
  add(text.slice(at), at, text.length);
  const partOf = (position: number) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const sourceOf = (position: number, isEnd: boolean): number => {
    const part = partOf(position);
    const [source, end] = [sources[part] as number, ends[part] as number];
    const length = (starts[part + 1] ?? read.length) - (starts[part] as number);
    if (length !== end - source) return isEnd ? end : source;
    return source + position - (starts[part] as number) + (isEnd ? 1 : 0);
  };
  return {
    text: read,
    inText: (spans) =>
      spans.flatMap((span) =>
        around({ ...span, start: sourceOf(span.start, false), end: sourceOf(span.end - 1, true) }, kept),
      ),
  };
}

/** The pieces of a span before, between and after what is kept. */
function around(span: SecretSpan, kept: readonly Pick<SecretSpan, "start" | "end">[]): readonly SecretSpan[] {
  const inside = kept.filter(({ start, end }) => start >= span.start && end <= span.end);
  return [...inside, { start: span.end, end: span.end }]
    .map(({ start }, index) => ({ ...span, start: inside[index - 1]?.end ?? span.start, end: start }))
    .filter(({ start, end }) => start < end);
}

/** Whether a text, or a JSON text, has what the eye does not see. */
export function hasControl(text: string): boolean {
  if (CONTROL.test(text) || (text.includes("\r") && /\w\r\w/.test(text))) return true;
  return text.includes("\\") && WRITTEN.test(text);
}

/** The text as a terminal shows it. `undefined` where that is the text itself. */
export function withoutControls(text: string): Reading | undefined {
  return hasControl(text) ? readAs(text, CONTROLS, () => "") : undefined;
}

/** The text without line ends, and with what addresses, JSON, shells and HTML write in other letters. */
export function withoutEscapes(text: string): Reading | undefined {
  return HAS_ESCAPE.test(text) || hasControl(text) ? readAs(text, ESCAPED, unescaped) : undefined;
}

function unescaped(found: string): string {
  if (found.startsWith("%")) return percentDecoded(found);
  if (found.startsWith("&")) return entity(found.slice(1, -1));
  const code = /^\\+[ux]([0-9A-Fa-f]+)$/.exec(found)?.[1];
  if (code !== undefined) return visible(String.fromCharCode(Number.parseInt(code, 16)));
  return /^\\+[^A-Za-z0-9\s]$/.test(found) ? found.slice(-1) : "";
}

function percentDecoded(found: string): string {
  try {
    return visible(decodeURIComponent(found));
  } catch {
    const codes = found.slice(1).split("%");
    return visible(String.fromCharCode(...codes.map((code) => Number.parseInt(code, 16))));
  }
}

function entity(name: string): string {
  const known = ENTITIES[name];
  if (known !== undefined) return known;
  const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return visible(String.fromCharCode(code));
}

const INVISIBLE = /\p{Cc}/gu;

/** Line ends and controls are left out, however they are written. */
function visible(text: string): string {
  return text.replaceAll(INVISIBLE, "");
}
