import { ToolFailure } from "@toolkeep/core";
import type { Authorization } from "../connection/http-link.ts";
import { unlessAborted } from "../connection/unless-aborted.ts";
import { type CallbackServer, callbackServer } from "./callback-server.ts";
import { checkEndpoint } from "./check-page.ts";
import { LoginProvider } from "./login-provider.ts";
import type { OAuthOptions } from "./oauth-options.ts";
import { openBrowser } from "./open-browser.ts";
import { memoryTokenStore } from "./token-store.ts";

const LOGIN_WITHIN_MS = 5 * 60_000;

/** The login to one server: through the person's browser, after the person has seen the host. */
export function authorizationOf(name: string, server: URL, options: OAuthOptions): Authorization {
  const { store = memoryTokenStore(), client = {}, confirm, open = openBrowser, command } = options;
  const provider = new LoginProvider({
    ...{ server, store, client, command },
    isAttended: confirm !== undefined,
  });
  let listening: CallbackServer | undefined;

  async function login(signal: AbortSignal): Promise<URLSearchParams> {
    const { page } = provider;
    provider.page = undefined;
    provider.openedPage = page;
    if (page === undefined || listening === undefined || confirm === undefined)
      throw new ToolFailure("denied", "There is no login to finish.");
    try {
      if (!(await unlessAborted(confirm(page.url.host, name), signal)))
        throw new ToolFailure("denied", `The login at ${page.url.host} was not confirmed.`);
      const arrived = listening.wait(page.state, LOGIN_WITHIN_MS);
      arrived.catch(() => {});
      await open(page.url);
      return await unlessAborted(arrived, signal);
    } finally {
      listening.close();
      listening = undefined;
    }
  }

  return {
    provider,
    async prepare() {
      if (confirm === undefined || listening !== undefined) return;
      listening = await callbackServer(await provider.registeredPorts());
      provider.callbackUrl = listening.url;
    },
    callback: (signal) => (provider.page === undefined ? undefined : login(signal)),
    checkElsewhere: (url) => checkEndpoint(url, server),
  };
}
