import type { StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";

/** What is kept of a login: whom the server knows us as, and the tokens it gave. */
export interface StoredLogin {
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
}

/** Port: keeps logins by the address of the server. Whoever can read it can act in the person's name. */
export interface TokenStore {
  get(serverUrl: string): Promise<StoredLogin | undefined>;
  set(serverUrl: string, login: StoredLogin): Promise<void>;
  delete(serverUrl: string): Promise<void>;
}

/** Keeps logins for as long as the process lives. */
export function memoryTokenStore(): TokenStore {
  const logins = new Map<string, StoredLogin>();
  return {
    get: async (serverUrl) => logins.get(serverUrl),
    set: async (serverUrl, login) => void logins.set(serverUrl, login),
    delete: async (serverUrl) => void logins.delete(serverUrl),
  };
}
