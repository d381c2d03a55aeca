import { hostIn, isTellingHost } from "./telling-host.ts";

/** Letters of curl that take a value, so that what follows in the word belongs to them. */
const CURL_VALUED = new Set("AbcCDeEhHKmoPQrtuUwxXyYz");
const CURL_SENDING = /^--(?:data|json|form|upload-file|url-query|mail-|quote|config)/;
const WGET_SENDING = /^--(?:post-(?:data|file)|body-(?:data|file)|config)/;
const METHOD = /^(?:POST|PUT|PATCH)$/i;

export function curlSends(words: readonly string[]): boolean {
  return words.some((word, index) => {
    if (word.startsWith("@") || CURL_SENDING.test(word) || addressTells(word)) return true;
    if (/^--request(?:=|$)/.test(word)) return METHOD.test(givenValue(word, words[index + 1]));
    return /^-[A-Za-z]/.test(word) && groupSends(word, words[index + 1] ?? "");
  });
}

export function wgetSends(words: readonly string[]): boolean {
  return words.some((word, index) => {
    if (WGET_SENDING.test(word) || addressTells(word)) return true;
    return /^--method(?:=|$)/.test(word) && METHOD.test(givenValue(word, words[index + 1]));
  });
}

/** `http POST …`, or any field or file to send. */
export function httpieSends(words: readonly string[]): boolean {
  return words.some((word) => METHOD.test(word) || addressTells(word) || /^[^-/][^/]*(?::?=|@)/.test(word));
}

function groupSends(word: string, next: string): boolean {
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] as string;
    if (letter === "d" || letter === "F" || letter === "T" || letter === "K") return true;
    if (!CURL_VALUED.has(letter)) continue;
    const value = word.slice(at + 1) || next;
    return (letter === "X" && METHOD.test(value)) || (letter === "H" && value.startsWith("@"));
  }
  return false;
}

function givenValue(word: string, next: string | undefined): string {
  const equals = word.indexOf("=");
  return equals === -1 ? (next ?? "") : word.slice(equals + 1);
}

function addressTells(word: string): boolean {
  const host = hostIn(word);
  return host !== undefined && isTellingHost(host);
}
