/** What takes text from a model or a server. Its result does not matter, and neither does a refusal. */
export type Measured = (text: string) => unknown;

/** Small ones first, and close together: what grows exponentially is found, however fast the machine is, before it never ends. */
const EXPONENTIAL: readonly number[] = [22, 24, 26, 28, 30, 32];
/** For what is mostly a parser of others. */
export const PARSER_SIZES: readonly number[] = [...EXPONENTIAL, 1_000, 4_000];
export const SHORT_SIZES: readonly number[] = [...PARSER_SIZES, 16_000];
export const LONG_SIZES: readonly number[] = [
  ...SHORT_SIZES,
  64_000,
  256_000,
  1_000_000,
  4_000_000,
  10_000_000,
];

/** Below this a time says nothing: the machine does other things too, and a diff gives up after 100 ms by itself. */
const NOTICED_MS = 150;
/** Four times the text in more than this times the time is not linear. */
const MOST_GROWTH = 8;
/** No text of up to 64 KB takes so long, however it grows; a slow machine is given more. */
const LONGEST_MS = process.env["TOOLKEEP_RUNS"] === undefined ? 2_500 : 500;
/** A function so slow is not given more. */
const ENOUGH_MS = 3_000;

interface Growth {
  readonly run: Measured;
  readonly shape: (length: number) => string;
  readonly sizes: readonly number[];
}

/** Why a function does not grow linearly on a shape of text; `undefined` if it does. What is found is measured again. */
export async function growthError(growth: Growth): Promise<string | undefined> {
  const first = await errorSeen(growth);
  return first === undefined ? undefined : errorSeen(growth, 4);
}

/** The same, by so many attempts at each size. */
export async function errorSeen({ run, shape, sizes }: Growth, attempts = 1): Promise<string | undefined> {
  let before = { size: 1, ms: 0 };
  for (const size of sizes) {
    const ms = await fastest(run, () => shape(size), attempts);
    const times = size / before.size / 4;
    if (ms > LONGEST_MS * Math.max(1, size / 64_000)) return `${Math.round(ms)} ms for ${size} characters`;
    // Between sizes that are further apart, what a first run costs looks like growth.
    if (times <= 1 && ms > Math.max(before.ms * MOST_GROWTH * times, NOTICED_MS))
      return `${before.ms.toFixed(1)} ms for ${before.size} characters, ${ms.toFixed(1)} ms for ${size}`;
    if (ms > ENOUGH_MS) return undefined;
    before = { size, ms };
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
    // Neither is told apart any better by another one.
    if (best < NOTICED_MS / MOST_GROWTH || best > ENOUGH_MS) break;
  }
  return best;
}

let runs = 0;
