import type { PlainHunk } from "./random-patches.ts";

/** What a patch without line numbers leaves of these lines, by the words of its definition; `undefined` if it does not fit. */
export function plainResult(
  lines: readonly string[],
  hunks: readonly PlainHunk[],
): readonly string[] | undefined {
  let now = [...lines];
  let from = 0;
  for (const { anchors, old, fresh, atEnd } of hunks) {
    for (const anchor of anchors) {
      const at = now.slice(from).findIndex((one) => one.trim() === anchor.trim());
      if (at === -1) return undefined;
      from += at + 1;
    }
    const places = now.keys().toArray().concat(now.length);
    const fits = places.filter((at) => at >= from && `${now.slice(at, at + old.length)}/` === `${old}/`);
    const whole = fits.filter(
      (at) => at + old.length <= now.length && old.every((one, index) => now[at + index] === one),
    );
    const [at] =
      old.length === 0
        ? [anchors.length > 0 && !atEnd ? from : now.length]
        : whole.filter((one) => !atEnd || one + old.length === now.length);
    if (at === undefined) return undefined;
    now = [...now.slice(0, at), ...fresh, ...now.slice(at + old.length)];
    from = at + fresh.length;
  }
  return now;
}
