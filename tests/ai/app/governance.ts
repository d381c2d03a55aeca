import { join } from "node:path";
import { govern } from "@toolkeep/ai";
import { effect } from "@toolkeep/core/internal";
import { openStore } from "@toolkeep/sqlite";
import { tools } from "./tools.ts";

const store = openStore({ path: join(process.env["APP_FOLDER"] ?? ".", "store") });

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
