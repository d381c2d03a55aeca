import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { harmlessText } from "@toolkeep/core/internal";
import type { CallingClient, ReturningClient } from "./calling-client.ts";
import { progressTo } from "./progress-to.ts";

const LONGEST_NAME = 64;
const FORM_MS = 3_600_000;

/** What our `requestState` contains. */
export interface AskedState {
  readonly turnId: string;
}

/** Which client made a request, and how its user can be asked. */
export function clientOf(server: Server, ctx: ServerContext, generation: "legacy" | "modern"): CallingClient {
  const { signal } = ctx.mcpReq;
  const envelope = ctx.mcpReq.envelope as ClientEnvelope | undefined;
  const capabilities = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const info = envelope?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  const listen = progressTo(ctx);
  const returning = returningOf(ctx);
  return {
    name: harmlessText(info?.name ?? "an MCP client").slice(0, LONGEST_NAME),
    id: server,
    signal,
    // A broken connection is not a cancellation: running calls continue. But its user can no longer be asked.
    gone: ctx.http?.req === undefined ? signal : AbortSignal.any([signal, ctx.http.req.signal]),
    arrivedAt: Date.now(),
    asking: canAsk(capabilities) ? (generation === "modern" ? "retry" : "form") : "never",
    // Not `elicitInput`: an answer that does not fit the form is a rejection, not an error.
    showForm: (form, until) =>
      ctx.mcpReq.send({ method: "elicitation/create", params: form }, { signal: until, timeout: FORM_MS }),
    ...(returning === undefined ? {} : { returning }),
    ...(listen === undefined ? {} : { listen }),
  };
}

/** What a client of the newer protocol generation declares with every request. */
interface ClientEnvelope {
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
  readonly [CLIENT_INFO_META_KEY]?: { readonly name?: string };
}

/** Older clients declare that they can ask, but not how: then it is by forms. */
function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** The state was verified before any handler saw it. */
function returningOf({ mcpReq }: ServerContext): ReturningClient | undefined {
  const state = mcpReq.requestState<AskedState>();
  return state === undefined ? undefined : { turnId: state.turnId, responses: mcpReq.inputResponses ?? {} };
}
