import { errors, type JWTPayload, type JWTVerifyResult, jwtVerify } from "jose";
import { CLAIMS } from "./claim-errors.ts";
import type { IdentitySettings } from "./identity-settings.ts";
import { IssuerKeys } from "./issuer-keys.ts";
import { IssuerError } from "./read-bounded-json.ts";
import { ClaimError, type TokenClaims, tokenClaims } from "./token-claims.ts";

/** Signatures that only the issuer can make: the keys that we know are public. */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
/** Access tokens (RFC 9068), and what issuers write that do not say so. */
const TYPES: ReadonlySet<string> = new Set(["jwt", "at+jwt", "application/at+jwt"]);
/** How far clocks may differ. */
const TOLERANCE_SECONDS = 60;
/** A token that is valid for longer cannot be withdrawn in time. */
const LONGEST_SECONDS = 36 * 3_600;
const LONGEST_TOKEN = 16 * 1024;
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** What a valid token says. */
export interface VerifiedToken extends TokenClaims {
  readonly issuer: string;
  /** Milliseconds since the epoch, the difference of clocks included. */
  readonly expiresAt: number;
}

/** Why a token is not accepted. `unavailable`: that cannot be told now. */
export interface TokenRefusal {
  readonly refused: "invalid" | "forbidden" | "unavailable";
  /** A sentence, without anything of the token. */
  readonly reason: string;
}

/** Verifies access tokens of one issuer for one audience. */
export class TokenVerifier {
  readonly #settings: IdentitySettings;
  readonly #keys: IssuerKeys;
  readonly #now: () => number;

  constructor(settings: IdentitySettings, { now = () => Date.now() }: { readonly now?: () => number } = {}) {
    this.#settings = settings;
    this.#now = now;
    this.#keys = new IssuerKeys(settings, now);
  }

  /** Never rejects for a token, whatever it is. */
  async verify(token: string): Promise<VerifiedToken | TokenRefusal> {
    if (token.length > LONGEST_TOKEN) return invalid("The token is too long.");
    if (!COMPACT.test(token)) return invalid("The token is not a signed JWT.");
    try {
      const { payload, protectedHeader } = await this.#verified(token);
      if (!isOfType(protectedHeader.typ)) return invalid("The token is of another type.");
      const expiresAt = this.#expiryOf(payload);
      const claims = tokenClaims(payload, this.#settings);
      const missing = this.#settings.scopes?.find((scope) => !claims.scopes.includes(scope));
      if (missing !== undefined)
        return { refused: "forbidden", reason: `The token does not permit ${missing}.` };
      return { ...claims, issuer: this.#settings.issuer, expiresAt };
    } catch (error) {
      return this.#refusal(error);
    }
  }

  #verified(token: string): Promise<JWTVerifyResult> {
    const { issuer, audience } = this.#settings;
    return jwtVerify(token, (header, input) => this.#keys.find(header, input), {
      algorithms: ALGORITHMS,
      issuer,
      audience,
      clockTolerance: TOLERANCE_SECONDS,
      currentDate: new Date(this.#now()),
      requiredClaims: ["sub", "exp"],
    });
  }

  #expiryOf({ exp = 0, iat }: JWTPayload): number {
    const now = this.#now() / 1_000;
    if (!(exp <= now + LONGEST_SECONDS)) throw new ClaimError("The token is valid for too long.");
    if (iat !== undefined && !(iat <= now + TOLERANCE_SECONDS))
      throw new ClaimError("The token was issued in the future.");
    return (exp + TOLERANCE_SECONDS) * 1_000;
  }

  /** Errors of the library may contain the claims. */
  #refusal(error: unknown): TokenRefusal {
    if (error instanceof ClaimError) return invalid(error.message);
    if (error instanceof IssuerError)
      return {
        refused: "unavailable",
        reason: `The keys of ${this.#settings.issuer} cannot be read: ${error.message}.`,
      };
    return invalid(reasonOf(error));
  }
}

function isOfType(type: unknown): boolean {
  return type === undefined || (typeof type === "string" && TYPES.has(type.toLowerCase()));
}

function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return "The token has expired.";
  if (error instanceof errors.JWTClaimValidationFailed)
    return CLAIMS[error.claim] ?? "The token is not valid.";
  if (error instanceof errors.JOSEAlgNotAllowed)
    return "The token is signed with an algorithm that is not accepted.";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "The signature of the token is wrong.";
  if (error instanceof errors.JWKSNoMatchingKey)
    return "The token is signed with a key that the issuer does not have.";
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return "The token does not say with which key it is signed.";
  return "The token is not valid.";
}

function invalid(reason: string): TokenRefusal {
  return { refused: "invalid", reason };
}
