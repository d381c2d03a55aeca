import type { CompleteRequest, CompleteResult } from "@modelcontextprotocol/server";
import { harmlessText } from "@toolkeep/core/internal";
import type { Connection } from "../connection/news/connection.ts";

const MOST_VALUES = 100;
const LONGEST_VALUE = 500;

/** What is completed, by the server's own name for it. */
export interface CompletedAt {
  readonly connection: Connection;
  readonly ref: CompleteRequest["params"]["ref"];
}

/** What a server proposes for an argument, bounded and with hidden characters made visible. */
export async function completeArgument(
  { connection, ref }: CompletedAt,
  params: Omit<CompleteRequest["params"], "ref">,
  signal: AbortSignal,
): Promise<CompleteResult> {
  const { argument, context } = params;
  const asked = { ref, argument, ...(context === undefined ? {} : { context }) };
  const { completion } = await connection.complete(asked, signal);
  const { values, total, hasMore } = completion;
  return {
    completion: {
      // A value that would have to be escaped cannot be proposed.
      values: values
        .filter((value) => value.length <= LONGEST_VALUE && harmlessText(value) === value)
        .slice(0, MOST_VALUES),
      ...(total === undefined ? {} : { total }),
      ...(hasMore === undefined ? {} : { hasMore }),
    },
  };
}
