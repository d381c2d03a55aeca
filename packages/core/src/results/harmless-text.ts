import { onDemand } from "../contract/values/on-demand.ts";

const ESCAPE = String.fromCodePoint(0x1b);
/** Programs that colour also clear the rest of a line, which takes nothing away here. */
const COLOUR = new RegExp(`${ESCAPE}\\[[\\d;:]*[mK]`, "g");

/** Most texts have none of it, and are looked through once. */
const UNUSUAL = /[^\t\n -~]/;

/** What has no picture of its own or changes how its neighbours look. Line ends and tabs stay. */
const HIDDEN = onDemand(
  () =>
    /(?![\n\t])\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}|\p{Cn}|\p{Co}|\p{Variation_Selector}|[\u{34F}\u{2800}\u{115F}\u{1160}\u{17B4}\u{17B5}\u{3164}\u{FFA0}]/gu,
);
const ZERO_WIDTH_JOINER = "\u{200D}";
const ZERO_WIDTH_NON_JOINER = "\u{200C}";
const EMOJI_STYLES: ReadonlySet<string> = new Set(["\u{FE0E}", "\u{FE0F}"]);
const EMOJI = onDemand(() => /^[\p{Emoji}\p{Extended_Pictographic}]$/u);
const PICTURE = onDemand(() => /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u{FE0F})$/u);
const JOINING = onDemand(
  () =>
    /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Mongolian}]$/u,
);

/**
 * A text of any number of lines that is safe on a screen and hides nothing from a model: colours are left
 * out, and controls, marks of direction, tags and zero-width characters are written out (`\x1b`, `<U+202E>`).
 * What emoji and joining scripts need to look right stays.
 */
export function harmlessText(text: string): string {
  if (!UNUSUAL.test(text)) return text;
  return text
    .replaceAll(COLOUR, "")
    .replaceAll(HIDDEN(), (char, at: number, whole: string) =>
      isNeeded(char, at, whole) ? char : nameOf(char),
    );
}

/** What a terminal was meant to write over itself stands in lines of its own: nothing of it is lost. */
export function terminalText(text: string): string {
  return harmlessText(
    text.replaceAll(/\r+\n?/g, (run) => (run.endsWith("\n") ? "\n" : "\n".repeat(run.length))),
  );
}

function isNeeded(char: string, at: number, whole: string): boolean {
  const isJoiner = char === ZERO_WIDTH_JOINER || char === ZERO_WIDTH_NON_JOINER;
  if (!isJoiner && !EMOJI_STYLES.has(char)) return false;
  const before = characterBefore(at, whole);
  if (!isJoiner) return EMOJI().test(before);
  const after = String.fromCodePoint(whole.codePointAt(at + 1) ?? 0);
  if (JOINING().test(before)) return JOINING().test(after);
  return char === ZERO_WIDTH_JOINER && PICTURE().test(before) && PICTURE().test(after);
}

function characterBefore(at: number, whole: string): string {
  const pair = whole.slice(Math.max(0, at - 2), at);
  return [...pair].at(-1) ?? "";
}

function nameOf(char: string): string {
  if (char === "\r") return "\\r";
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
