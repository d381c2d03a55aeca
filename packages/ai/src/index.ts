export { fromAiSdk } from "./ai-sdk/from-ai-sdk.ts";
export { type Governed, type GovernOptions, govern } from "./ai-sdk/govern.ts";
export { toAiSdk } from "./ai-sdk/to-ai-sdk.ts";
export type { ClientApproval } from "./calls/call-queue.ts";
export { sdkApprover } from "./chat/open-chat.ts";
export type { ToolDeclaration } from "./foreign/foreign-tool.ts";
