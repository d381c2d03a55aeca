import { ToolFailure } from "@toolkeep/core";
import type { Authorization } from "../link/http-link.ts";
import { unlessAborted } from "../link/unless-aborted.ts";
import { type CallbackServer, callbackServer } from "./callback-server.ts";
import { checkEndpoint } from "./check-page.ts";
import { cannotLogIn, LoginProvider } from "./login-provider.ts";
import { confirmationOf, type LoginUsers } from "./login-user.ts";
import type { OAuthOptions } from "./oauth-options.ts";
import { openBrowser } from "./open-browser.ts";
import { memoryTokenStore } from "./token-store.ts";

const LOGIN_WITHIN_MS = 5 * 60_000;
/** How long the callback server listens before a login page exists. */
const NO_LOGIN_MS = 60_000;

/** The login to one server: in the user's browser, after the user has confirmed the host. */
export function authorizationOf(
  name: string,
  server: URL,
  options: OAuthOptions,
  users: LoginUsers,
): Authorization {
  const { store = memoryTokenStore(), client = {}, open = openBrowser, command } = options;
  const confirmation = () => confirmationOf(name, options, users.current);
  const login = { server, store, client, command };
  const provider = new LoginProvider({
    ...login,
    get isAttended() {
      const isAttended = confirmation() !== undefined;
      if (!isAttended) users.isMissed = true;
      return isAttended;
    },
  });
  let listening: CallbackServer | undefined;
  let isLoggingIn = false;
  let timer: NodeJS.Timeout | undefined;

  function stopListening(): void {
    clearTimeout(timer);
    listening?.close();
    listening = undefined;
    provider.page = undefined;
  }

  async function finish(signal: AbortSignal): Promise<URLSearchParams> {
    const { page } = provider;
    const confirm = confirmation();
    provider.openedPage = page;
    if (page === undefined || listening === undefined || confirm === undefined)
      throw new ToolFailure("denied", "There is no login to finish.");
    isLoggingIn = true;
    clearTimeout(timer);
    try {
      signal.throwIfAborted();
      if (!(await unlessAborted(confirm(page.url.host).catch(refused), signal)))
        throw new ToolFailure("denied", `The login at ${page.url.host} was not confirmed.`);
      const arrived = listening.wait(page.state, LOGIN_WITHIN_MS);
      arrived.catch(() => {});
      await unlessAborted(open(page.url), signal);
      return await unlessAborted(arrived, signal);
    } finally {
      isLoggingIn = false;
      stopListening();
    }
  }

  /** An approver that answers no questions is no user. */
  function refused(error: unknown): never {
    throw ToolFailure.isInstance(error) && error.code === "unavailable" ? cannotLogIn(login) : error;
  }

  return {
    provider,
    async prepare() {
      if (isLoggingIn || confirmation() === undefined) return;
      clearTimeout(timer);
      // A stream can be rejected outside any request, and then no caller learns how the login ended.
      timer = setTimeout(stopListening, NO_LOGIN_MS).unref();
      if (listening !== undefined) return;
      listening = await callbackServer(await provider.registeredPorts());
      // A registration that was kept would redirect to a port that is no longer open.
      provider.page = undefined;
      provider.callbackUrl = listening.url;
    },
    rest() {
      if (!isLoggingIn && provider.page === undefined) stopListening();
    },
    callback: (signal) => (provider.page === undefined ? undefined : finish(signal)),
    checkElsewhere: (url) => checkEndpoint(url, server),
  };
}
