import type { Played } from "./play.ts";
import type { CorpusRecord } from "./record.ts";

/** Beyond the time limit of a call, on a slow machine. */
const LONGEST = 60_000;

/** What is wrong with what came of a record when every layer is there; `undefined`: what was demanded. */
export function errorOf(record: CorpusRecord, played: Played): string | undefined {
  const { must } = record;
  if (played.damage.length > 0) return played.damage.join(", ");
  return ERRORS[must.decision](played, record);
}

type Evaluate = (played: Played, record: CorpusRecord) => string | undefined;

const ERRORS: Readonly<Record<CorpusRecord["must"]["decision"], Evaluate>> = {
  deny: unlessRefused,
  ask: unlessRefused,
  contain: () => undefined,
  limit: ({ milliseconds, result }) => {
    if (milliseconds > LONGEST) return `it took ${Math.round(milliseconds)} ms`;
    return result.failure?.code === "tool_crashed" ? "the tool crashed" : undefined;
  },
  error: ({ result }) => {
    if (result.ok) return "it succeeded";
    if (result.failure?.code === "tool_crashed") return "the tool crashed";
    return result.failure?.code === "timed_out" ? "it took until its time was over" : undefined;
  },
  allow: ({ result }) => {
    if (!result.ok) return `${result.failure?.code}: ${result.failure?.message}`;
    const { exitCode = 0 } = (result.data ?? {}) as { readonly exitCode?: number };
    return exitCode === 0 ? undefined : `it ended with ${exitCode}`;
  },
};

function unlessRefused({ result }: Played): string | undefined {
  if (result.ok) return "it was let through";
  return result.failure?.code === "tool_crashed" ? "the tool crashed" : undefined;
}
