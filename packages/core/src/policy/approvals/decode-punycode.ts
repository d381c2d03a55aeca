/** RFC 3492, the parameters for host names. */
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const LONGEST_LABEL = 63;
const LAST_CODE = 0x10ffff;

/** What a label of a host (`xn--…`) says in letters; `undefined` where it says nothing. */
export function decodePunycode(label: string): string | undefined {
  const encoded = label.slice("xn--".length).toLowerCase();
  if (label.length > LONGEST_LABEL) return undefined;
  const border = encoded.lastIndexOf("-");
  const letters = [...encoded.slice(0, Math.max(0, border))].map((letter) => letter.codePointAt(0) ?? 0);
  let [code, at, bias] = [128, 0, 72];
  for (let next = border + 1; next < encoded.length; ) {
    const read = readNumber(encoded, next, bias);
    if (read === undefined) return undefined;
    const count = letters.length + 1;
    bias = adapted(read.value, { count, isFirst: at === 0 && code === 128 });
    code += Math.floor((at + read.value) / count);
    at = (at + read.value) % count;
    if (code > LAST_CODE || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    letters.splice(at, 0, code);
    at += 1;
    next = read.next;
  }
  return String.fromCodePoint(...letters);
}

function readNumber(text: string, from: number, bias: number) {
  let value = 0;
  let weight = 1;
  for (let at = from, k = BASE; at < text.length; at += 1, k += BASE) {
    const digit = digitOf(text.charCodeAt(at));
    if (digit === undefined) return undefined;
    value += digit * weight;
    if (value > Number.MAX_SAFE_INTEGER / BASE) return undefined;
    const threshold = Math.min(T_MAX, Math.max(T_MIN, k - bias));
    if (digit < threshold) return { value, next: at + 1 };
    weight *= BASE - threshold;
  }
  return undefined;
}

function digitOf(code: number): number | undefined {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  return code >= 0x30 && code <= 0x39 ? code - 0x30 + 26 : undefined;
}

function adapted(
  value: number,
  { count, isFirst }: { readonly count: number; readonly isFirst: boolean },
): number {
  let delta = Math.floor(value / (isFirst ? DAMP : 2));
  delta += Math.floor(delta / count);
  let k = 0;
  for (; delta > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) delta = Math.floor(delta / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * delta) / (delta + SKEW));
}
