import { createHash, randomBytes } from "node:crypto";
import type { Store } from "@toolkeep/sqlite";

const GONE_ON_WITH_MS = 24 * 60 * 60 * 1_000;

export interface GatewayPlace {
  readonly project: string;
  /** The one server that is wrapped: tells gateways of one project apart. */
  readonly wrapped?: string | undefined;
}

/**
 * A session that was left parked here and that nobody uses, if it is not too old: a person may have answered
 * meanwhile. Else a new one.
 */
export function gatewaySessionId(
  store: Pick<Store, "sessions">,
  { project, wrapped = "" }: GatewayPlace,
): string {
  const hash = createHash("sha256").update(`${project}\n${wrapped}`).digest("hex").slice(0, 16);
  const prefix = `gateway.${hash}.`;
  const since = Date.now() - GONE_ON_WITH_MS;
  const left = store
    .sessions({ state: "parked" })
    .find(({ sessionId, isInUse, activeAt }) => sessionId.startsWith(prefix) && !isInUse && activeAt > since);
  return left?.sessionId ?? `${prefix}${randomBytes(8).toString("hex")}`;
}
