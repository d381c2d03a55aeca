import { isTrustedAddress } from "@toolkeep/core/internal";
import { createLocalJWKSet, errors, type JWSHeaderParameters, type JWTVerifyGetKey } from "jose";
import type { IdentitySettings } from "./identity-settings.ts";
import { IssuerError, readBoundedJson } from "./read-bounded-json.ts";

/** After this time the keys are read again: a key that the issuer has withdrawn is valid for no longer. */
const FRESH_MS = 10 * 60_000;
/** How long the last keys are used while the issuer cannot be reached. */
const KEPT_MS = 60 * 60_000;
/** Between two attempts, whatever tokens claim: tokens with made-up keys must not become requests to the issuer. */
const PAUSE_MS = 30_000;
const MOST_KEYS = 100;

type KeyOf = ReturnType<typeof createLocalJWKSet>;

/** The public keys of an issuer, read when they are needed, and seldom. */
export class IssuerKeys {
  readonly #settings: Pick<IdentitySettings, "issuer" | "jwksUri">;
  readonly #now: () => number;
  #keys: { readonly of: KeyOf; readonly readAt: number } | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;
  #why: IssuerError | undefined;
  #reading: Promise<void> | undefined;

  constructor(settings: Pick<IdentitySettings, "issuer" | "jwksUri">, now: () => number = () => Date.now()) {
    this.#settings = settings;
    this.#now = now;
  }

  /**
   * The key that a token names. One that is not known may be new: then the keys are read once more.
   * @throws IssuerError if the keys cannot be read; an error of jose if there is no such key.
   */
  async find(...[header, token]: Parameters<JWTVerifyGetKey>): ReturnType<KeyOf> {
    if (this.#now() - (this.#keys?.readAt ?? Number.NEGATIVE_INFINITY) >= FRESH_MS) await this.#readAgain();
    try {
      return await this.#current()(header, token);
    } catch (error) {
      if (!isUnknownKey(error, header) || !(await this.#readAgain())) throw error;
      return await this.#current()(header, token);
    }
  }

  #current(): KeyOf {
    if (this.#keys !== undefined && this.#now() - this.#keys.readAt < KEPT_MS) return this.#keys.of;
    throw this.#why ?? new IssuerError("it cannot be reached");
  }

  /** Whether the keys were read now. Not again soon, and never twice at a time. */
  async #readAgain(): Promise<boolean> {
    if (this.#reading === undefined) {
      if (this.#now() - this.#triedAt < PAUSE_MS) return false;
      this.#triedAt = this.#now();
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
    }
    const before = this.#keys;
    await this.#reading;
    return this.#keys !== before;
  }

  async #read(): Promise<void> {
    try {
      const { keys } = await readBoundedJson(this.#settings.jwksUri ?? (await this.#discovered()));
      if (!Array.isArray(keys) || keys.length === 0 || keys.length > MOST_KEYS)
        throw new IssuerError("its set of keys is empty, or too large");
      this.#keys = { of: createLocalJWKSet({ keys }), readAt: this.#now() };
      this.#why = undefined;
    } catch (error) {
      // The keys that were read before stay for a while.
      this.#why = error instanceof IssuerError ? error : new IssuerError("its set of keys is not valid");
    }
  }

  /** Where the issuer says that its keys are. It must call itself by the name that is configured. */
  async #discovered(): Promise<string> {
    const { issuer } = this.#settings;
    const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const { issuer: named, jwks_uri: keys } = await readBoundedJson(address);
    if (named !== issuer) throw new IssuerError("its configuration is that of another issuer");
    const isSafe = typeof keys === "string" && isTrustedAddress(keys);
    if (isSafe && (keys.startsWith("https:") || issuer.startsWith("http:"))) return keys;
    throw new IssuerError("its configuration names no trusted address for its keys");
  }
}

function isUnknownKey(error: unknown, { kid }: JWSHeaderParameters): boolean {
  return error instanceof errors.JWKSNoMatchingKey && kid !== undefined;
}
