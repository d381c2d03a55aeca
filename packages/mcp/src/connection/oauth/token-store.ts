import type { StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";

/** A stored login: the OAuth client and the tokens that the server issued. */
export interface StoredLogin {
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
}

/** Port: stores logins by the address of the server. A program that can read it can act as the user. */
export interface TokenStore {
  get(serverUrl: string): Promise<StoredLogin | undefined>;
  set(serverUrl: string, login: StoredLogin): Promise<void>;
  delete(serverUrl: string): Promise<void>;
}

/** Stores logins for the lifetime of the process. */
export function memoryTokenStore(): TokenStore {
  const logins = new Map<string, StoredLogin>();
  return {
    get: async (serverUrl) => logins.get(serverUrl),
    set: async (serverUrl, login) => void logins.set(serverUrl, login),
    delete: async (serverUrl) => void logins.delete(serverUrl),
  };
}
