export {
  type ApprovalsService,
  type ApprovalsServiceOptions,
  openApprovalsService,
} from "./service/open-approvals-service.ts";
export type { Person, RefusedToken, TokenAuthentication } from "./service/people.ts";
export type { Webhook } from "./service/webhooks.ts";
