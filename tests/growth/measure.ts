/** What takes text from a model or a server. Its result does not matter, and neither does a refusal. */
export type Measured = (text: string) => unknown;

/** Small ones first: what grows exponentially is found before it would never end. */
const SIZES = [22, 27, 500, 4_000, 16_000, 64_000] as const;
/** Below this a time says nothing, on a machine that does other things too. */
const NOTICED_MS = 25;
/** Four times the text in more than this times the time is not linear. */
const MOST_GROWTH = 8;
/** No text of up to 64 KB takes so long, however it grows. */
const LONGEST_MS = 400;

/** Why a function does not grow linearly on a shape of text; `undefined` if it does. */
export async function growthFault(
  run: Measured,
  shape: (length: number) => string,
  sizes: readonly number[] = SIZES,
): Promise<string | undefined> {
  let before: { readonly size: number; readonly ms: number } | undefined;
  for (const size of sizes) {
    const ms = await fastest(run, shape, size);
    const longest = LONGEST_MS * Math.max(1, size / 64_000);
    if (ms > longest) return `${Math.round(ms)} ms for ${size} characters`;
    if (before !== undefined && ms > NOTICED_MS) {
      const expected = Math.max(before.ms, NOTICED_MS / MOST_GROWTH) * MOST_GROWTH * (size / before.size / 4);
      if (ms > expected)
        return `${before.ms.toFixed(1)} ms for ${before.size} characters, ${ms.toFixed(1)} ms for ${size}`;
    }
    before = { size, ms };
  }
  return undefined;
}

/** Of several runs the fastest: the others waited for something else. No text is the same twice, so that none is remembered. */
async function fastest(run: Measured, shape: (length: number) => string, size: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 4 && best > NOTICED_MS / 4; attempt += 1) {
    runs += 1;
    // Some characters are only put together when they are looked at, which is not what is measured.
    const text = Buffer.from(`${shape(size)}${runs}`, "utf16le").toString("utf16le");
    const start = process.cpuUsage();
    try {
      await run(text);
    } catch {
      // Refused, which is an answer.
    }
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1_000);
    if (best > LONGEST_MS * 10) break;
  }
  return best;
}

let runs = 0;
