import type { Principal } from "@toolkeep/core";

/** Decides whose requests an endpoint serves. The host application verifies the tokens. */
export interface Authentication {
  /** Where people get their tokens: the addresses of the issuers. */
  readonly issuers: readonly string[];
  /** What a token must permit. Clients are told, so that they ask for it. */
  readonly scopes?: readonly string[];
  /**
   * The address that clients use, where it is not the one of this machine: behind a proxy that has the certificate.
   * Clients get tokens for it.
   */
  readonly resource?: string;
  /** Who sends a token. It is never passed on, and never part of a reason. If it rejects, the request is refused. */
  authenticate(token: string): Promise<Person | RefusedToken>;
}

/** Who sends requests. */
export interface Person {
  /** The same for every token of this person, whatever else it says. */
  readonly id: string;
  /** Whole: nothing of it comes from the session. Another principal of the same person has another session. */
  readonly principal: Partial<Principal>;
  /** Until when the token is valid, in milliseconds since the epoch. Streams end then. */
  readonly expiresAt?: number;
}

/** Why a token is not accepted. */
export interface RefusedToken {
  /** `forbidden`: it is valid, and does not permit enough. `unavailable`: it cannot be verified now. */
  readonly refused: "invalid" | "forbidden" | "unavailable";
  /** A sentence for the client, without anything of the token. */
  readonly reason: string;
}
