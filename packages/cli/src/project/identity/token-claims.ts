import type { JWTPayload } from "jose";
import type { IdentitySettings } from "./identity-settings.ts";

/** Who a token is about, and what it permits. */
export interface TokenClaims {
  /** The same for every token of one person. */
  readonly subject: string;
  readonly user: string;
  /** Sorted, each once. */
  readonly groups: readonly string[];
  readonly tenant?: string;
  /** The client that the token was given to. */
  readonly client?: string;
  readonly scopes: readonly string[];
}

const LONGEST_NAME = 256;
const MOST_GROUPS = 500;

/** A claim that cannot be used. The message is for the client, and has nothing of the token. */
export class ClaimError extends Error {
  override readonly name = "ClaimError";
}

/**
 * Reads the claims of a verified token. What is not as it should be is refused as a whole: a group that is left out
 * could be one that a rule denies something to.
 * @throws ClaimError
 */
export function tokenClaims(payload: JWTPayload, settings: IdentitySettings): TokenClaims {
  const { userClaim = "sub", groupsClaim = "groups", tenantClaim } = settings;
  assertAccessToken(payload);
  const subject = nameIn(payload, "sub");
  const user = nameIn(payload, userClaim);
  if (userClaim === "email" && Object.hasOwn(payload, "email_verified") && payload["email_verified"] !== true)
    throw new ClaimError("The issuer has not verified the email address in the token.");
  const client = ["client_id", "azp"].find((claim) => Object.hasOwn(payload, claim));
  return {
    subject,
    user,
    groups: groupsIn(payload, groupsClaim, settings.groupsClaim !== undefined),
    ...(tenantClaim === undefined ? {} : { tenant: nameIn(payload, tenantClaim) }),
    ...(client === undefined ? {} : { client: nameIn(payload, client) }),
    scopes: scopesIn(payload),
  };
}

/** What a client gets to know who logged in, or only together with a key of its own, is not for us. */
function assertAccessToken(payload: JWTPayload): void {
  const has = (...claims: readonly string[]) => claims.some((claim) => Object.hasOwn(payload, claim));
  if (has("nonce", "at_hash", "c_hash", "events")) throw new ClaimError("The token is not an access token.");
  if (has("cnf"))
    throw new ClaimError("The token is bound to a key of its client, which cannot be verified here.");
}

function nameIn(payload: JWTPayload, claim: string): string {
  const value = Object.hasOwn(payload, claim) ? payload[claim] : undefined;
  if (isName(value)) return value;
  throw new ClaimError(`The claim ${claim} of the token is missing, or is not a name.`);
}

/** Without the claim there are no groups, unless the administrator names it. A claim that is kept elsewhere cannot be read. */
function groupsIn(payload: JWTPayload, claim: string, isNamed: boolean): readonly string[] {
  if (!Object.hasOwn(payload, claim) && (isNamed || Object.hasOwn(payload, "hasgroups")))
    throw new ClaimError(`The claim ${claim} of the token is missing.`);
  const elsewhere = payload["_claim_names"];
  if (typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, claim))
    throw new ClaimError("The person is in too many groups for a token.");
  const groups: unknown = Object.hasOwn(payload, claim) ? payload[claim] : [];
  if (!Array.isArray(groups) || !groups.every(isName))
    throw new ClaimError(`The claim ${claim} of the token is not a list of names.`);
  if (groups.length > MOST_GROUPS) throw new ClaimError(`The token has more than ${MOST_GROUPS} groups.`);
  return [...new Set(groups)].toSorted();
}

/** `scope` is one text, `scp` a list at some issuers. */
function scopesIn(payload: JWTPayload): readonly string[] {
  const said = payload["scope"] ?? payload["scp"] ?? "";
  const scopes: readonly unknown[] =
    typeof said === "string" ? said.split(" ") : Array.isArray(said) ? said : [];
  return scopes.filter((scope): scope is string => typeof scope === "string" && scope !== "");
}

function isName(value: unknown): value is string {
  return (
    typeof value === "string" && value.trim() !== "" && value.length <= LONGEST_NAME && !CONTROL.test(value)
  );
}

/** Neither control characters nor invisible ones: two names that look the same are the same. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
