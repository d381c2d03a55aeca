import { hereDocumentAt, matchAt, type PlainWord, readWord } from "./plain-word.ts";

/** A redirect of a plain line. */
export type PlainRedirect =
  | {
      readonly fd: string;
      readonly operator: string;
      readonly target: string;
      /** The target as it is written. */
      readonly text: string;
      readonly body?: undefined;
    }
  /** A here-document, or a here-string, and the word that is fed as it is written. */
  | {
      readonly fd: "";
      readonly operator: "<<" | "<<<";
      readonly target?: undefined;
      readonly text?: string;
      readonly body: string;
    };

const REDIRECT = /(?:([012])?(>>|>\||>|<)(?![<>&|(])|(&>>|&>)(?![>|&(]))[ \t]*/y;
const DUPLICATE = /([12]?)>&([12])(?=[ \t\n;&|)]|$)/y;
const DOCUMENT = /<<[ \t]*(?:'([\w.-]+)'|"([\w.-]+)"|([\w.-]+))(?=[ \t\n]|$)/y;
const STRING = /<<<[ \t]*/y;

/** Whether a file or another output is named here, and no word. */
export function startsRedirect(line: string, at: number): boolean {
  return [DUPLICATE, REDIRECT].some((pattern) => matchAt(pattern, line, at) !== "");
}

interface FoundRedirect {
  readonly redirect: PlainRedirect;
  readonly end: number;
  /** Where a here-document ends, whose lines come after the line it is in. */
  readonly documentEnd?: number;
}

/** The redirect at this position, or why it is not plain; `undefined` where there is none. */
export function readRedirect(
  line: string,
  at: number,
  home: string,
): FoundRedirect | { readonly reason: string } | undefined {
  const duplicate = execAt(DUPLICATE, line, at);
  if (duplicate !== null) {
    const [text, fd = "", target = ""] = duplicate;
    return { redirect: { fd, operator: ">&", target, text: target }, end: at + text.length };
  }
  const string = matchAt(STRING, line, at);
  if (string !== "") {
    const word = staticWord(line, at + string.length, home);
    if (word === undefined) return { reason: "what it feeds to a command is not plain text" };
    return { redirect: { fd: "", operator: "<<<", body: word.raw, text: word.text }, end: word.end };
  }
  const document = execAt(DOCUMENT, line, at);
  if (document !== null) return readDocument(line, at, document);
  const redirect = execAt(REDIRECT, line, at);
  if (redirect === null) return undefined;
  const [text, fd = "", operator, both] = redirect;
  const word = staticWord(line, at + text.length, home);
  if (word === undefined || word.raw === "") return { reason: "it redirects to a file that is not named" };
  const { raw: target, text: written, end } = word;
  return { redirect: { fd, operator: operator ?? both ?? "", target, text: written }, end };
}

function execAt(pattern: RegExp, line: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(line);
}

function staticWord(line: string, at: number, home: string): PlainWord | undefined {
  const word = readWord(line, at, { home, isName: false });
  if (typeof word === "string" || word.isWild) return undefined;
  return word.parts.every((part) => typeof part === "string") ? word : undefined;
}

function readDocument(
  line: string,
  at: number,
  found: RegExpExecArray,
): FoundRedirect | { readonly reason: string } {
  const [text, single, double, bare] = found;
  const end = at + text.length;
  const newline = line.indexOf("\n", end);
  const delimiter = single ?? double ?? bare ?? "";
  const document =
    newline === -1 ? undefined : hereDocumentAt(line, newline + 1, delimiter, bare === undefined);
  if (document === undefined) return { reason: "a here-document in it is not plain text" };
  // Quotes over the end of this line would make another line of it.
  if (/["'\\]/.test(line.slice(end, newline))) return { reason: "it has quotes after a here-document" };
  return { redirect: { fd: "", operator: "<<", body: document.body }, end, documentEnd: document.end };
}
