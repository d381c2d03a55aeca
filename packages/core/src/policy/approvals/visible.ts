const LONGEST = 2_000;
const TAIL = 500;

/** Whatever has no picture of its own, or changes how its neighbours look: controls, marks of direction, tags, odd spaces. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}\p{Me}]|\p{Variation_Selector}|[\u{115F}\u{1160}\u{2800}\u{3164}\u{FFA0}]|\u{34F}|[\u{334}-\u{338}]|\u{17B4}|\u{17B5}|(?! )\p{Zs}/gu;
const URL_HOST = /\b([a-z][a-z0-9+.-]*:\/\/)([^\s/?#'"<>]+)/giu;
const DOTTED = /[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.[a-z]{2,24}\b/gu;
const WORD = /[\p{L}\p{M}\p{N}_-]{2,}/gu;
const LOOKALIKES =
  /\p{Script=Cyrillic}|\p{Script=Greek}|\p{Script=Armenian}|\p{Script=Cherokee}|\p{Script=Coptic}/u;

/**
 * The text as a person may be shown it: on one line, nothing hidden, nothing that looks like
 * something else, cut in the middle where it is too long to be read.
 */
export function visible(text: string, longest = LONGEST): string {
  const shown = text
    .replaceAll(URL_HOST, (_url, scheme: string, host: string) => scheme + plainHost(host))
    .replaceAll(DOTTED, markHost)
    .replaceAll(WORD, markMixedScripts)
    .replaceAll(HIDDEN, nameOf)
    .replaceAll(/ {9,}/g, (spaces) => `<${spaces.length} spaces>`);
  return cut(shown, longest);
}

function nameOf(char: string): string {
  if (char === "\n") return "\\n";
  if (char === "\t") return "\\t";
  if (char === "\r") return "\\r";
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** Letters of other scripts in a host are written the way the network knows them. Nothing else of it is touched. */
function plainHost(authority: string): string {
  const at = authority.lastIndexOf("@") + 1;
  return authority.slice(0, at) + asNetwork(authority.slice(at));
}

function asNetwork(host: string): string {
  if (/^[\p{ASCII}]*$/u.test(host) || host.includes("\\")) return host;
  try {
    return new URL(`http://${host}`).host;
  } catch {
    return host;
  }
}

/** A name that could be a host, in letters that look like others: how the network would know it stands beside it. */
function markHost(name: string): string {
  return LOOKALIKES.test(name) ? `${name}<${asNetwork(name)}>` : name;
}

function markMixedScripts(word: string): string {
  return /\p{Script=Latin}/u.test(word) && LOOKALIKES.test(word) ? `${word}<mixed scripts>` : word;
}

/** Both ends stay: what matters may stand at either. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const lost = text.length - longest;
  return `${text.slice(0, longest - TAIL)}<${lost} characters left out>${text.slice(-TAIL)}`;
}
