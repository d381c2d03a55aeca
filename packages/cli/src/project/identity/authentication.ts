import type { Principal } from "@toolkeep/core";
import { defined } from "@toolkeep/core/internal";
import type { Authentication } from "@toolkeep/mcp/internal";
import type { IdentitySettings } from "./identity-settings.ts";
import { type TokenRefusal, TokenVerifier, type VerifiedToken } from "./token-verifier.ts";

/** Where people act, which no token says. */
export type Place = Pick<Partial<Principal>, "environment">;

export interface AuthenticationParts {
  readonly settings: IdentitySettings;
  readonly place: Place;
  /** The address that clients use. */
  readonly resource?: string;
}

/** Lets people in whose tokens the configured issuer has signed. */
export function authenticationOf({ settings, place, resource }: AuthenticationParts): Authentication {
  const { issuer, scopes } = settings;
  const verifier = new TokenVerifier(settings);
  return {
    issuers: [issuer],
    ...defined({ scopes, resource }),
    async authenticate(token) {
      const verified = await verifier.verify(token);
      if (isRefused(verified)) return verified;
      const { subject, expiresAt } = verified;
      const id = JSON.stringify([issuer, subject]);
      return { id, principal: principalOf(verified, place), users: [subject], expiresAt };
    },
  };
}

export function isRefused(verified: VerifiedToken | TokenRefusal): verified is TokenRefusal {
  return "refused" in verified;
}

/** The whole principal of a token: nothing of it comes from the machine but what describes the place. */
export function principalOf(
  { user, groups, tenant, client }: VerifiedToken,
  place: Place,
): Partial<Principal> {
  return { ...place, user, groups, ...defined({ tenant, agent: client }) };
}
