import { type ToolContext, ToolFailure } from "@toolkeep/core";
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  processClientCredentialsResponse,
  ResponseBodyError,
} from "oauth4webapi";
import type { CredentialUse } from "./credential.ts";

type TokenEndpoint = Extract<CredentialUse, { kind: "client" }>;

interface Client {
  readonly id: string;
  readonly secret: string;
}

interface KeptToken {
  readonly token: string;
  readonly expiresAt: number;
}

export interface GivenToken {
  readonly token: string;
  /** It existed before this call. */
  readonly isKept: boolean;
  forget(): void;
}

/** The lifetime of a token if its server does not name one. */
const USUAL_SECONDS = 300;
/** A token is not used shortly before it expires: it could expire in transit. */
const MARGIN_SECONDS = 30;
const MOST_TOKENS = 100;
const MOST_BYTES = 100_000;

/** The tokens of one set of tools, in memory: requested through the I/O of the first call that needs one. */
export class TokenStore {
  readonly #kept = new Map<string, KeptToken>();
  readonly #asking = new Map<string, Promise<KeptToken>>();

  async tokenFor(location: TokenEndpoint, client: Client, ctx: ToolContext): Promise<GivenToken> {
    // By the values: another session may have others under the same names.
    const key = JSON.stringify([location.tokenUrl, location.scopes, client.id, client.secret]);
    const forget = () => void this.#kept.delete(key);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.expiresAt > Date.now()) return { token: kept.token, isKept: true, forget };
    const { token } = await this.#ask(key, () => askForToken(location, client, ctx));
    return { token, isKept: false, forget };
  }

  /** One request for calls that need the same token at once; if the first is cancelled, each requests its own. */
  async #ask(key: string, ask: () => Promise<KeptToken>): Promise<KeptToken> {
    const others = this.#asking.get(key);
    if (others !== undefined) return others.catch(ask);
    const asking = ask().finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    const made = await asking;
    if (this.#kept.size >= MOST_TOKENS) this.#kept.clear();
    this.#kept.set(key, made);
    return made;
  }
}

async function askForToken(location: TokenEndpoint, client: Client, ctx: ToolContext): Promise<KeptToken> {
  const { tokenUrl, scopes = [], method } = location;
  const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
  const registered = { client_id: client.id };
  const authentication =
    method === "post" ? ClientSecretPost(client.secret) : ClientSecretBasic(client.secret);
  const parameters = scopes.length === 0 ? {} : { scope: scopes.join(" ") };
  try {
    const response = await clientCredentialsGrantRequest(server, registered, authentication, parameters, {
      [customFetch]: (url, { body, headers }) => fetchThrough(ctx, url, { body, headers }),
      // Whether an unencrypted connection is allowed was decided when the tools were created.
      [allowInsecureRequests]: tokenUrl.startsWith("http:"),
    });
    const answer = await processClientCredentialsResponse(server, registered, response);
    const seconds = Math.max(0, (answer.expires_in ?? USUAL_SECONDS) - MARGIN_SECONDS);
    return { token: answer.access_token, expiresAt: Date.now() + seconds * 1_000 };
  } catch (error) {
    if (ToolFailure.isInstance(error)) throw error;
    throw new ToolFailure("unavailable", `${new URL(tokenUrl).host} issued no token${reasonIn(error)}.`, {
      hint: "Only the host application can change the credentials.",
    });
  }
}

async function fetchThrough(
  ctx: ToolContext,
  url: string,
  request: { readonly body: URLSearchParams; readonly headers: Record<string, string> },
): Promise<Response> {
  const { status, headers, body } = await ctx.io.network.fetch({
    url,
    method: "POST",
    headers: request.headers,
    body: request.body.toString(),
    maxBytes: MOST_BYTES,
    redirect: "manual",
  });
  return new Response(body, { status, headers });
}

/** The protocol's error code, and no text from the server: it could repeat the secret. */
function reasonIn(error: unknown): string {
  if (!(error instanceof ResponseBodyError)) return "";
  return /^[a-z_]{1,40}$/.test(error.error) ? ` (${error.error})` : "";
}
