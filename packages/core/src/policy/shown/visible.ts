import { onDemand } from "../../contract/values/on-demand.ts";
import { markHosts } from "./mark-hosts.ts";

const LONGEST = 2_000;
const TAIL = 500;

/** Whatever has no picture of its own, or changes how its neighbours look: controls, marks of direction, tags, odd spaces. */
const HIDDEN = onDemand(
  () =>
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}\p{Me}]|\p{Variation_Selector}|[\u{115F}\u{1160}\u{2800}\u{3164}\u{FFA0}]|\u{34F}|[\u{334}-\u{338}]|\u{23CE}|\u{17B4}|\u{17B5}|(?! )\p{Zs}/gu,
);
const WORD = onDemand(() => /[\p{L}\p{M}\p{N}_-]{2,}/gu);
const LOOKALIKES = onDemand(
  () => /\p{Script=Cyrillic}|\p{Script=Greek}|\p{Script=Armenian}|\p{Script=Cherokee}|\p{Script=Coptic}/u,
);
/** More accents on one letter than any orthography puts there. */
const STACKED = onDemand(() => /(\p{M}{4})(\p{M}+)/gu);
const SPACES = / {9,}/g;
const LINE_END = "\u23CE";
const UNUSUAL = /[^ -~]/;
/** What would read as one of our own marks, or as the other name of a host. */
const FORGED = onDemand(
  () =>
    /<(?=U\+|\d+ (?:characters|spaces|more)|mixed scripts>|not plain:|xn--)|(?<=[\p{L}\p{N}.])<(?=[\p{L}\p{N}.-]{1,253}>)/iu,
);

/**
 * The text as a person may be shown it: on one line, nothing hidden, nothing that looks like
 * something else, cut in the middle where it is too long to be read. It is cut before anything is looked for in it,
 * and each expression looks at a character once: the text is untrusted, and of any size.
 */
export function visible(text: string, longest = LONGEST): string {
  if (text.length <= longest) return shownText(text);
  // Both ends stay: what matters may stand at either.
  const head = characterBorder(text, longest - TAIL);
  const tail = characterBorder(text, text.length - TAIL);
  return `${shownText(text.slice(0, head))}<${tail - head} characters left out>${shownText(text.slice(tail))}`;
}

/** A mark is ours: where the text has the like, its first sign is written as a number. */
function shownText(text: string): string {
  return text.includes("<") ? text.split(FORGED()).map(shown).join(String.raw`\x3c`) : shown(text);
}

function shown(text: string): string {
  const marked = markHosts(text);
  const plain = UNUSUAL.test(marked)
    ? marked
        .replaceAll(WORD(), markMixedScripts)
        .replaceAll(HIDDEN(), nameOf)
        .replaceAll(STACKED(), (_all, kept: string, more: string) => `${kept}<${more.length} more accents>`)
    : marked;
  return plain.replaceAll(SPACES, (spaces) => `<${spaces.length} spaces>`);
}

function nameOf(char: string): string {
  // Not as programs write it: a line end parts commands, and `\n` in quotes does not.
  if (char === "\n") return LINE_END;
  if (char === "\t") return "\\t";
  if (char === "\r") return "\\r";
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

function markMixedScripts(word: string): string {
  return LOOKALIKES().test(word) && /\p{Script=Latin}/u.test(word) ? `${word}<mixed scripts>` : word;
}

/** Not between the two halves of one character. */
function characterBorder(text: string, at: number): number {
  const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
  return isLow && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 ? at - 1 : at;
}
