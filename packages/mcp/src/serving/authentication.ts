import type { TokenAuthentication } from "@toolkeep/core/ports";

/** Decides whose requests an endpoint serves. The host application verifies the tokens. */
export interface Authentication extends TokenAuthentication {
  /** Where people get their tokens: the addresses of the issuers. */
  readonly issuers: readonly string[];
  /** What a token must permit. Clients are told, so that they ask for it. */
  readonly scopes?: readonly string[];
  /** The address that clients use and get tokens for, where a proxy with the certificate is before this machine. */
  readonly resource?: string;
}
