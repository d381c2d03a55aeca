export type { Person, RefusedToken, TokenAuthentication } from "@toolkeep/core/ports";
export {
  type ApprovalsService,
  type ApprovalsServiceOptions,
  openApprovalsService,
} from "./approvals/serve-approvals.ts";
export type { Webhook } from "./approvals/webhooks.ts";
