export type { Person, RefusedToken, TokenAuthentication } from "./approvals/people.ts";
export {
  type ApprovalsService,
  type ApprovalsServiceOptions,
  openApprovalsService,
} from "./approvals/serve-approvals.ts";
export type { Webhook } from "./approvals/webhooks.ts";
