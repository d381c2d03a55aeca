import {
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { ToolFailure, type ToolResult } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { pendingText } from "./call-answer.ts";
import type { Offers } from "./offers.ts";
import { inProtocol } from "./protocol-errors.ts";
import type { Followed } from "./served-calls.ts";
import type { WatchedResources } from "./watched-resources.ts";

interface OfferParts {
  readonly offers: Offers;
  readonly watched: WatchedResources;
  ready(): Promise<void>;
  run(
    call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> },
    ctx: ServerContext,
  ): Promise<Followed>;
  ask(followed: Followed & { readonly kind: "asked" }): Promise<InputRequiredResult>;
}

/** Serves resources, prompts and completions in addition to the tools. */
export function serveOffers(server: Server, parts: OfferParts): void {
  const { offers, ready } = parts;
  const whenReady = <T>(answer: () => Promise<T>) =>
    inProtocol(async () => {
      await ready();
      return answer();
    });
  serveResources(server, parts, whenReady);
  server.setRequestHandler("prompts/list", () =>
    whenReady(async () => ({ prompts: [...(await offers.prompts())] })),
  );
  server.setRequestHandler("prompts/get", ({ params: { name, arguments: args = {} } }, ctx) =>
    whenReady(() => offers.prompt(name, args, ctx.mcpReq.signal)),
  );
  if (offers.complete === undefined) return;
  server.setRequestHandler("completion/complete", ({ params }, ctx) =>
    whenReady(
      async () => (await offers.complete?.(params, ctx.mcpReq.signal)) ?? { completion: { values: [] } },
    ),
  );
}

type WhenReady = <T>(answer: () => Promise<T>) => Promise<T>;

function serveResources(server: Server, parts: OfferParts, whenReady: WhenReady): void {
  const { offers, watched } = parts;
  server.setRequestHandler("resources/list", () =>
    whenReady(async () => ({ resources: [...(await offers.resources())] })),
  );
  server.setRequestHandler("resources/templates/list", () =>
    whenReady(async () => ({ resourceTemplates: [...(await offers.resourceTemplates())] })),
  );
  server.setRequestHandler("resources/read", ({ params: { uri } }, ctx) =>
    whenReady(() => readResource(uri, parts, ctx)),
  );
  if (offers.watchResource === undefined) return;
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) =>
    whenReady(async () => {
      await watched.add(server, uri);
      return {};
    }),
  );
  server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
    watched.remove(server, uri);
    return {};
  });
}

async function readResource(
  uri: string,
  { offers, run, ask }: OfferParts,
  ctx: ServerContext,
): Promise<ReadResourceResult | InputRequiredResult> {
  try {
    return await offers.readResource(uri, async (call) => settled(await run(call, ctx), call.name));
  } catch (error) {
    if (error instanceof MustAsk) return ask(error.followed);
    throw error;
  }
}

/** Carries the questions out of an offer that only expected a result. */
class MustAsk extends Error {
  readonly followed: Followed & { readonly kind: "asked" };

  constructor(followed: Followed & { readonly kind: "asked" }) {
    super("The client must ask its user first.");
    this.followed = followed;
  }
}

function settled(followed: Followed, toolName: string): ToolResult {
  if (followed.kind === "asked") throw new MustAsk(followed);
  if (followed.kind === "pending")
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, pendingText(followed, toolName));
  if (followed.kind === "left") throw new ToolFailure("cancelled", "Cancelled");
  const { result } = followed;
  if (!result.ok) throw new ToolFailure(result.failure?.code ?? "tool_failed", modelText(result));
  return result;
}
