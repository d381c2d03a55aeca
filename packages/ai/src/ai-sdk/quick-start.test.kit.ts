import type { SessionStore } from "@toolkeep/core";
import { type LanguageModel, type ModelMessage, streamText, type ToolSet } from "ai";
import { govern } from "../index.ts";

interface ChatRequest {
  readonly myTools: ToolSet;
  readonly model: LanguageModel;
  readonly messages: ModelMessage[];
  readonly store: SessionStore;
  readonly sessionId: string;
}

/** One request of a chat, with the code that is shown everywhere. */
export async function quickStart({ myTools, model, messages, store, sessionId }: ChatRequest) {
  const { tools, toolApproval } = await govern(myTools, {
    policy: ['ask pay because "Money leaves the account."'],
    store, // openSqliteStore({ path: ".agent" }) of @toolkeep/sqlite: approvals survive a restart
    sessionId, // the id of the chat
  });
  const result = streamText({ model, messages, tools, toolApproval });
  return result;
}
