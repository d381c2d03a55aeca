import {
  expression,
  listIn,
  rowsByName,
  SENDING_COMMANDS as table,
  wordsIn,
} from "@toolkeep/catalog/internal";
import { formsOf } from "../forms/command-forms.ts";
import { programOf } from "./command-args.ts";
import { asksThisMachine } from "./local-requests.ts";

type Check = (words: readonly string[]) => boolean;

/** What a program must be given to send something. */
const CHECKS = {
  always: () => true,
  operand: (words) => words.some((word) => !word.startsWith("-")),
  remote: (words) => words.some((word) => isRemotePath(word)),
  tellingName: (words) =>
    words.some((word) => /[$`{}%*]/.test(word) || (!/^[-+@]/.test(word) && isTellingHost(word))),
  elsewhere: (words) => pushesElsewhere(words.slice(1)),
  field: (words) => words.some((word) => FIELD.test(word)),
  upload: (words) => words.some((word) => word.startsWith("upload")),
  curl: curlSends,
  wget: wgetSends,
  httpie: httpieSends,
} satisfies Readonly<Record<string, Check>>;

interface SendingRow {
  /** Words that the command begins with, apart from options. */
  readonly begins?: readonly string[];
  /** What the address that it copies to begins with, and the subcommands that copy. */
  readonly copies?: string;
  readonly check?: keyof typeof CHECKS;
  /** What the command begins with where the check counts. Default: anything. */
  readonly of?: readonly string[];
  /** All of its words where it sends nothing. */
  readonly unless?: string;
}

const SENDING = rowsByName(
  table.sending as Readonly<Record<string, SendingRow>>,
  ({ begins = [], copies, check, of = [""], unless }): Check => {
    const silent = unless === undefined ? undefined : expression(unless);
    return (words) =>
      silent?.test(words.join(" ")) !== true &&
      (beginsWith(words, begins) ||
        (copies !== undefined && copiesTo(words, listIn(copies))) ||
        (check !== undefined && beginsWith(words, of) && CHECKS[check](words)));
  },
);

/** `first` or `first second` begin the words; with an empty beginning, any do. */
function beginsWith(words: readonly string[], beginnings: readonly string[]): boolean {
  const plain = words.filter((word) => !word.startsWith("-"));
  return beginnings.some((beginning) =>
    beginning.split(" ").every((word, index) => word === "" || plain[index] === word),
  );
}

function copiesTo(words: readonly string[], [scheme = "", ...verbs]: readonly string[]): boolean {
  const last = words.filter((word) => !word.startsWith("-")).at(-1) ?? "";
  return words.some((word) => verbs.includes(word)) && last.startsWith(scheme);
}

/** The first plain word after `push` is where to. */
function pushesElsewhere(words: readonly string[]): boolean {
  const remote = words.find((word) => !word.startsWith("-")) ?? "";
  return isRemotePath(remote) || words.some((word) => word.startsWith("--repo"));
}

const FIELD = expression(table.field);
const REACHING = wordsIn(table.reaching);
const ENCODING = wordsIn(table.encoding);
const DECODING = expression(table.decoding);

/** Whether a word is a program that is looked at here. */
export function isWatched(word: string): boolean {
  const program = programOf([word]);
  return Object.hasOwn(SENDING, program) || ENCODING.has(program);
}

/** The program that sends something away, where the command is shaped like that. */
export function senderIn(argv: readonly string[]): string | undefined {
  for (const form of formsOf(argv)) {
    const program = programOf(form);
    if (asksThisMachine(form)) continue;
    if (Object.hasOwn(SENDING, program) && SENDING[program]?.(form.slice(1))) return program;
  }
  return undefined;
}

/** Whether the command talks to a host that its words name. */
export function reachesOut(argv: readonly string[]): boolean {
  return REACHING.has(programOf(argv)) && !asksThisMachine(argv);
}

/** Whether the command packs or encodes what it is given. */
export function encodes(argv: readonly string[]): boolean {
  return ENCODING.has(programOf(argv)) && !argv.slice(1).some((word) => DECODING.test(word));
}

/** Whether the command gives a repository another place to push to. */
export function changesRemote(argv: readonly string[]): boolean {
  return formsOf(argv).some(
    (form) => programOf(form) === "git" && form[1] === "remote" && /^(?:add|set-url)$/.test(form[2] ?? ""),
  );
}

/** An address, or `host:path`. A drive letter is none. */
export function isRemotePath(word: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(word) || /^(?:[^\s/@:]+@)?[^\s/@:-][^\s/@:]+:/.test(word);
}

/** Letters of curl that take a value, so that what follows in the word belongs to them. */
const CURL_VALUED = wordsIn(table.curlValued);
const CURL_SENDING = expression(table.curlSending);
const WGET_SENDING = expression(table.wgetSending);
const METHOD = /^(?:POST|PUT|PATCH)$/i;

function curlSends(words: readonly string[]): boolean {
  return words.some((word, index) => {
    if (word.startsWith("@") || CURL_SENDING.test(word) || addressTells(word)) return true;
    if (/^--request(?:=|$)/.test(word)) return METHOD.test(givenValue(word, words[index + 1]));
    return /^-[A-Za-z]/.test(word) && groupSends(word, words[index + 1] ?? "");
  });
}

function wgetSends(words: readonly string[]): boolean {
  return words.some((word, index) => {
    if (WGET_SENDING.test(word) || addressTells(word)) return true;
    return /^--method(?:=|$)/.test(word) && METHOD.test(givenValue(word, words[index + 1]));
  });
}

/** `http POST …`, or any field or file to send. */
function httpieSends(words: readonly string[]): boolean {
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

const LONGEST_HOST = 100;
const LONGEST_LABEL = 40;
const LONGEST_ENCODED = 24;

/** Whether the name of a host looks like data: its name server learns it. */
export function isTellingHost(host: string): boolean {
  if (host.length > LONGEST_HOST) return true;
  return host.length > LONGEST_ENCODED && host.split(".").some(isTellingLabel);
}

function isTellingLabel(label: string): boolean {
  return label.length > LONGEST_LABEL || label.split(/[-_]/).some(looksEncoded);
}

/** Long, without a break, and of letters and digits mixed. */
function looksEncoded(run: string): boolean {
  return run.length >= LONGEST_ENCODED && run.replaceAll(/\D/g, "").length >= 4;
}

/** The host in an address such as a program is given. */
export function hostIn(address: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/:?#]+)/i.exec(address)?.[1];
}
