import { join } from "node:path";
import { govern } from "@toolkeep/ai";
import { effect } from "@toolkeep/core/internal";
import { openPostgresStore } from "@toolkeep/postgres";
import { openSqliteStore } from "@toolkeep/sqlite";
import { tools } from "./tools.ts";

const { APP_FOLDER: folder = ".", APP_DATABASE: url, APP_KEY: secret = "" } = process.env;
const store =
  url === undefined
    ? openSqliteStore({ path: join(folder, "store") })
    : await openPostgresStore({ url, keys: [{ id: "app", secret }] });

/** The tools of one chat, under the rules of this application. */
export async function governed(chatId: string) {
  const made = await govern(tools, {
    store,
    sessionId: chatId,
    policy: {
      rules: [
        { permission: "bank.read", action: "allow" },
        { permission: "bank.pay", action: "ask", because: "Money leaves the account." },
        { permission: "bank.pay", pattern: "X-*", action: "deny", because: "X is a known fraud." },
      ],
    },
    tools: {
      balance: { requires: { capabilities: ["bank.read"] }, effects: () => [effect("bank.read", "account")] },
      pay: {
        requires: { capabilities: ["bank.pay"] },
        effects: ({ invoice }) => [effect("bank.pay", invoice)],
      },
    },
  });
  for (const { name, why } of made.ungoverned) console.log(`ungoverned ${name}: ${why}`);
  return made;
}
