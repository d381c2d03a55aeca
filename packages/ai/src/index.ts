export type { ClientApproval, VerifyApproval } from "./call-queue.ts";
export type { ToolDeclaration, UngovernedTool } from "./declaration.ts";
export { type FromAiSdk, type FromAiSdkOptions, fromAiSdk } from "./from-ai-sdk.ts";
export { type Governed, type GovernOptions, govern } from "./govern.ts";
export { type ChatStore, memoryStore } from "./memory-store.ts";
export { sdkApprover } from "./open-chat.ts";
export type { ApprovalQuestion } from "./own-approval.ts";
export { type SessionOutput, type ToAiSdk, type ToAiSdkOptions, toAiSdk } from "./to-ai-sdk.ts";
