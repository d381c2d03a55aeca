import { parseAst } from "rolldown/parseAst";
import { EXCEPTIONS, type Exception } from "./exceptions.ts";
import { RETIRED_WORDS, type RetiredWord } from "./retired-words.ts";

/** A file of the repository; its path is relative to the top folder. */
export interface CheckedFile {
  readonly path: string;
  readonly text: string;
}

/** One use of a retired word. A line of 0 is the file's name. */
export interface RetiredUse {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly kind: "name" | "file-name" | "prose";
  readonly word: string;
  readonly say: string;
}

interface Hit {
  readonly offset: number;
  readonly kind: "name" | "prose";
  readonly word: string;
  readonly entry: RetiredWord;
}

/** Finds retired words in a file's name, its identifiers and codes, and its text. */
export function findRetiredWords(
  { path, text }: CheckedFile,
  exceptions: readonly Exception[] = EXCEPTIONS,
): readonly RetiredUse[] {
  const lines = lineStarts(text);
  const prose = withoutDecisions(text);
  const hits = [
    ...proseHits(prose),
    ...(path.endsWith(".ts") ? nameHits(path, text) : codeSpanHits(path, prose)),
  ];
  const uses = withoutOverlaps(hits).map(({ offset, kind, word, entry }): RetiredUse => {
    const line = lines.findLastIndex((start) => start <= offset);
    return { path, line: line + 1, column: offset - (lines[line] ?? 0) + 1, kind, word, say: entry.say };
  });
  return [...fileNameUses(path), ...uses].filter((use) => {
    const line = text.slice(lines[use.line - 1] ?? 0, lines[use.line] ?? text.length);
    return !exceptions.some((exception) => isExcepted(exception, use, line));
  });
}

/** Links to decision records are named as the records are. */
function withoutDecisions(text: string): string {
  return text.replaceAll(/decisions\/[\w.-]+/g, (link) => " ".repeat(link.length));
}

function isExcepted({ paths, word, line }: Exception, use: RetiredUse, text: string): boolean {
  if (paths !== undefined && !paths.test(use.path)) return false;
  if (word !== undefined && !word.test(use.word)) return false;
  return line === undefined || line.test(text);
}

function proseHits(text: string): readonly Hit[] {
  return RETIRED_WORDS.flatMap((entry) =>
    Array.from(
      text.matchAll(entry.prose ?? /(?!)/g),
      (match): Hit => ({
        offset: match.index,
        kind: "prose",
        word: match[0],
        entry,
      }),
    ),
  );
}

/** Identifiers, keys and private names; and string literals that are a code, an event or a stage by their shape. */
function nameHits(path: string, text: string): readonly Hit[] {
  return tokensOf(parseAst(text, { lang: "ts", sourceType: "module" }, path)).flatMap(({ start, name }) =>
    entriesFor(name).map((entry): Hit => ({ offset: start, kind: "name", word: name, entry })),
  );
}

/** Names in the code spans and code blocks of Markdown; in data and other languages, names of more than one word. */
function codeSpanHits(path: string, text: string): readonly Hit[] {
  const pattern = path.endsWith(".md")
    ? /(?<=`[^`\n]*)[A-Za-z]\w*(?=[^`\n]*`)/g
    : /[A-Za-z]+(?:[a-z][A-Z]|_)\w*/g;
  return Array.from(text.matchAll(pattern)).flatMap((match) =>
    entriesFor(match[0]).map((entry): Hit => ({ offset: match.index, kind: "name", word: match[0], entry })),
  );
}

function fileNameUses(path: string): readonly RetiredUse[] {
  return path
    .split("/")
    .flatMap((name) =>
      entriesFor(name).map(
        ({ say }): RetiredUse => ({ path, line: 0, column: 0, kind: "file-name", word: name, say }),
      ),
    );
}

function entriesFor(name: string): readonly RetiredWord[] {
  const parts = ` ${partsOf(name).join(" ")} `;
  return RETIRED_WORDS.filter(({ names = [] }) => names.some((retired) => parts.includes(` ${retired} `)));
}

/** `NO_HANDS`, `noHands`, `no-hands.ts` → no, hands. */
export function partsOf(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((part) => part !== "");
}

/** A word is one hit, whether it was found as a name or as prose. */
function withoutOverlaps(hits: readonly Hit[]): readonly Hit[] {
  const sorted = hits.toSorted((a, b) => a.offset - b.offset || b.word.length - a.word.length);
  return sorted.filter((hit, index) => {
    const before = sorted.slice(Math.max(0, index - 8), index);
    return !before.some(
      ({ offset, word, entry }) => entry === hit.entry && hit.offset < offset + word.length,
    );
  });
}

interface Token {
  readonly start: number;
  readonly name: string;
}

const CODE = /^[a-z]+(?:[_-][a-z]+)+$|^[a-z]+$/;

function tokensOf(value: unknown): readonly Token[] {
  const found: Token[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const child of node) visit(child);
    if (typeof node !== "object" || node === null || Array.isArray(node)) return;
    const token = tokenOf(node as Readonly<Record<string, unknown>>);
    if (token !== undefined) found.push(token);
    for (const child of Object.values(node)) if (typeof child === "object") visit(child);
  };
  visit(value);
  return found;
}

function tokenOf({ type, name, value, start }: Readonly<Record<string, unknown>>): Token | undefined {
  if (typeof start !== "number") return undefined;
  if ((type === "Identifier" || type === "PrivateIdentifier") && typeof name === "string")
    return { start, name };
  if (type === "Literal" && typeof value === "string" && CODE.test(value))
    return { start: start + 1, name: value };
  return undefined;
}

function lineStarts(text: string): readonly number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
}
