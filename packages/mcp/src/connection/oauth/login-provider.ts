import { createHash, randomBytes } from "node:crypto";
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { ToolFailure } from "@toolkeep/core";
import { defined } from "@toolkeep/core/internal";
import { checkPage } from "./check-page.ts";
import type { OAuthClient } from "./oauth-options.ts";
import type { StoredLogin, TokenStore } from "./token-store.ts";

export interface LoginOptions {
  readonly server: URL;
  readonly store: TokenStore;
  readonly client: OAuthClient;
  /** Whether a user is available to log in. */
  readonly isAttended: boolean;
  /** The command to run for a login, shown if no user is available. */
  readonly command: string | undefined;
}

/** A login page that the user has to open. */
export interface LoginPage {
  readonly url: URL;
  readonly state: string;
  /** Proves that the answer belongs to the request that started the login. */
  readonly verifier: string;
}

const NO_CALLBACK_SERVER = "http://127.0.0.1/callback";
const MOST_VERIFIERS = 16;

/** The protocol library's port for logins. It opens no browser itself: it keeps the page for its caller. */
export class LoginProvider implements OAuthClientProvider {
  /** Where the browser is redirected to; set before a login begins. */
  callbackUrl: string | undefined;
  page: LoginPage | undefined;
  /** The page that was opened for the user. */
  openedPage: LoginPage | undefined;
  readonly #options: LoginOptions;
  readonly #verifiers = new Map<string, string>();
  #discovery: OAuthDiscoveryState | undefined;
  #login: StoredLogin | undefined;

  constructor(options: LoginOptions) {
    this.#options = options;
    const { metadataUrl } = options.client;
    if (metadataUrl !== undefined) this.clientMetadataUrl = metadataUrl;
  }

  declare clientMetadataUrl?: string;

  get redirectUrl(): string {
    return this.callbackUrl ?? NO_CALLBACK_SERVER;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { name = "Toolkeep", scope } = this.#options.client;
    return {
      client_name: name,
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      ...(scope === undefined ? {} : { scope }),
    };
  }

  state(): string {
    return randomBytes(32).toString("base64url");
  }

  /** The callback port of an earlier registration. */
  async registeredPorts(): Promise<readonly number[]> {
    const { callbackPort } = this.#options.client;
    if (callbackPort !== undefined) return [callbackPort];
    const uris = redirectUris((await this.#stored()).client);
    return uris.map((uri) => Number(new URL(uri).port)).filter((port) => port > 0);
  }

  async clientInformation(
    context?: OAuthClientInformationContext,
  ): Promise<StoredOAuthClientInformation | undefined> {
    if (this.#options.client.id !== undefined)
      return registeredClient(this.#options.client, this.#options.client.id, context?.issuer);
    const { client } = await this.#stored();
    const uris = redirectUris(client);
    if (
      client !== undefined &&
      (!this.#options.isAttended || uris.length === 0 || uris.includes(this.redirectUrl))
    )
      return client;
    // Without a user a registration is useless.
    if (!this.#options.isAttended) throw cannotLogIn(this.#options);
    return undefined;
  }

  saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    return this.#save({ client });
  }

  async tokens(context?: OAuthClientInformationContext): Promise<StoredOAuthTokens | undefined> {
    // Another process may have refreshed the tokens; a used refresh token must not be sent again.
    if (context !== undefined) this.#login = undefined;
    return (await this.#stored()).tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    return this.#save({ tokens });
  }

  redirectToAuthorization(url: URL): void {
    checkPage(url, this.#options.server);
    if (!this.#options.isAttended) throw cannotLogIn(this.#options);
    const verifier = this.#verifiers.get(url.searchParams.get("code_challenge") ?? "");
    const state = url.searchParams.get("state");
    if (verifier === undefined || state === null)
      throw new ToolFailure("denied", "The login was refused: its page is not the one that was requested.");
    this.page = { url, state, verifier };
  }

  saveCodeVerifier(verifier: string): void {
    if (this.#verifiers.size >= MOST_VERIFIERS) this.#verifiers.clear();
    // Several requests can start a login at the same time; each page belongs to its own.
    this.#verifiers.set(createHash("sha256").update(verifier).digest("base64url"), verifier);
  }

  codeVerifier(): string {
    if (this.openedPage === undefined) throw new ToolFailure("denied", "There is no login to finish.");
    return this.openedPage.verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  async invalidateCredentials(what: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    if (what === "all" || what === "discovery") this.#discovery = undefined;
    if (what === "discovery" || what === "verifier") return;
    const { client, tokens } = await this.#stored();
    const keepsClient = what === "tokens" && client !== undefined;
    const keepsTokens = what === "client" && tokens !== undefined;
    await this.#replace({ ...(keepsClient ? { client } : {}), ...(keepsTokens ? { tokens } : {}) });
  }

  async #stored(): Promise<StoredLogin> {
    this.#login ??= (await this.#options.store.get(this.#options.server.href)) ?? {};
    return this.#login;
  }

  async #save(change: StoredLogin): Promise<void> {
    await this.#replace({ ...(await this.#stored()), ...change });
  }

  async #replace(login: StoredLogin): Promise<void> {
    this.#login = login;
    await this.#options.store.set(this.#options.server.href, login);
  }
}

/** The preregistered client for its own issuer only: the server names the issuer, and could name its own. */
function registeredClient(
  { secret, issuer }: OAuthClient,
  id: string,
  asking: string | undefined,
): StoredOAuthClientInformation {
  if (issuer !== undefined && asking !== undefined && withoutSlash(issuer) !== withoutSlash(asking))
    throw new ToolFailure(
      "denied",
      `The server asks for a login at ${asking}, but the client is registered with ${issuer}.`,
      { hint: "Correct the `issuer` of the client, or do not trust this server." },
    );
  const known = issuer === undefined ? asking : (asking ?? issuer);
  return { client_id: id, ...defined({ client_secret: secret, issuer: known }) };
}

function withoutSlash(address: string): string {
  return address.endsWith("/") ? address.slice(0, -1) : address;
}

function redirectUris(client: StoredOAuthClientInformation | undefined): readonly string[] {
  const uris = client !== undefined && "redirect_uris" in client ? client.redirect_uris : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string" && URL.canParse(uri)) : [];
}

export function cannotLogIn({ server, command }: Pick<LoginOptions, "server" | "command">): ToolFailure {
  return new ToolFailure("denied", `${server.host} requires a login, and no user is available to log in.`, {
    hint: command === undefined ? "Log in from an interactive terminal." : `Run \`${command}\` once.`,
  });
}
