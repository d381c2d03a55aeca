/** What takes text from a model or a server. Its result does not matter, and neither does a refusal. */
export type Measured = (text: string) => unknown;

/** Small ones first: what grows exponentially is found before it would never end. */
export const SHORT_SIZES: readonly number[] = [22, 27, 500, 4_000, 16_000];
export const LONG_SIZES: readonly number[] = [
  ...SHORT_SIZES,
  64_000,
  256_000,
  1_000_000,
  4_000_000,
  10_000_000,
];

/** Below this a time says nothing, on a machine that does other things too. */
const NOTICED_MS = 20;
/** Four times the text in more than this times the time is not linear. */
const MOST_GROWTH = 8;
/** No text of up to 64 KB takes so long, however it grows. */
const LONGEST_MS = 500;
/** A function so slow is not given more. */
const ENOUGH_MS = 2_000;

interface Growth {
  readonly run: Measured;
  readonly shape: (length: number) => string;
  readonly sizes: readonly number[];
}

/** Why a function does not grow linearly on a shape of text; `undefined` if it does. What is found is measured again. */
export async function growthFault(growth: Growth): Promise<string | undefined> {
  const first = await faultIn(growth, 1);
  return first === undefined ? undefined : faultIn(growth, 4);
}

async function faultIn({ run, shape, sizes }: Growth, attempts: number): Promise<string | undefined> {
  let before = { size: 1, ms: 0 };
  for (const size of sizes) {
    const ms = await fastest(run, () => shape(size), attempts);
    const allowed = Math.max(before.ms * MOST_GROWTH * (size / before.size / 4), NOTICED_MS);
    if (ms > LONGEST_MS * Math.max(1, size / 64_000)) return `${Math.round(ms)} ms for ${size} characters`;
    if (ms > allowed)
      return `${before.ms.toFixed(1)} ms for ${before.size} characters, ${ms.toFixed(1)} ms for ${size}`;
    if (ms > ENOUGH_MS) return undefined;
    before = { size, ms: Math.max(ms, NOTICED_MS / MOST_GROWTH) };
  }
  return undefined;
}

/** Of several runs the fastest: the others waited for something else. No text is the same twice, so that none is remembered. */
async function fastest(run: Measured, shape: () => string, attempts: number): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    runs += 1;
    // Texts that are put together only when they are looked at are put together here.
    const text = Buffer.from(`${shape()}${runs}`, "utf16le").toString("utf16le");
    const start = process.cpuUsage();
    try {
      await run(text);
    } catch {
      // Refused, which is an answer.
    }
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1_000);
    if (best > LONGEST_MS) break;
  }
  return best;
}

let runs = 0;
