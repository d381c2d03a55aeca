import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { tool } from "ai";
import { z } from "zod";

/** The ledger of the bank of this application. */
const LEDGER = join(process.env["APP_FOLDER"] ?? ".", "ledger");

export const tools = {
  pay: tool({
    description: "Pays an invoice.",
    inputSchema: z.object({ invoice: z.string() }),
    execute: async ({ invoice }) => {
      appendFileSync(LEDGER, `${invoice}\n`);
      if (invoice.startsWith("SLOW")) await new Promise((resolve) => setTimeout(resolve, 60_000));
      return { paid: invoice };
    },
  }),
  balance: tool({
    description: "The balance of the account.",
    inputSchema: z.object({}),
    execute: () => ({ euros: 1_200 }),
  }),
  webSearch: tool({
    type: "provider",
    id: "scripted.web_search",
    args: {},
    isProviderExecuted: true,
    inputSchema: z.object({}),
    outputSchema: z.object({}),
  }),
};
