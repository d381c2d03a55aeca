import type { Approver, Principal, SessionOptions } from "@toolkeep/core";
import { type Config, osUser } from "@toolkeep/node/internal";
import { identitySettings } from "./identity/identity-settings.ts";

/**
 * On whose behalf the program makes calls: the operating system's user of this process, with the groups of that user, in
 * the environment that the administrator names. The decider is a process of the same user: only that user can reach its
 * socket.
 */
export function programPrincipal({ environment }: Pick<Config, "environment"> = {}): Partial<Principal> {
  return { ...osUser(), ...(environment === undefined ? {} : { environment }) };
}

/**
 * The same, or the principal of the token that the administrator wants the program to have.
 * @throws CommandError if the token is missing or not valid, or no user can be identified: no call may be made then.
 */
export async function verifiedPrincipal(
  config: Pick<Config, "environment" | "identity" | "approvers">,
): Promise<Partial<Principal>> {
  const settings = identitySettings(config);
  if (settings?.tokenFile === undefined) return programPrincipal(config);
  const { tokenFile } = settings;
  const { environment } = config;
  // Loaded only where there are tokens.
  const { tokenPrincipal } = await import("./identity/token-file.ts");
  return tokenPrincipal({ ...settings, tokenFile }, environment === undefined ? {} : { environment });
}

/** Who can sign approvals, for a session. */
export function approversOf({
  config: { approvers },
}: {
  readonly config: Pick<Config, "approvers">;
}): Pick<SessionOptions, "approvers"> {
  return approvers === undefined ? {} : { approvers };
}

/** The user who is asked about calls of the program. */
export function askedUser({ principal }: { readonly principal: Partial<Principal> }): Pick<Approver, "user"> {
  return principal.user === undefined ? {} : { user: principal.user };
}
