import { type ToolContext, ToolFailure } from "@toolkeep/core";
import { encodedPair } from "../request/build-request.ts";
import type { Pair } from "../request/serialize-value.ts";
import type { CredentialUse } from "./credential.ts";
import type { TokenStore } from "./token-store.ts";

/** What credentials add to a request. */
export interface Presented {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: readonly Pair[];
  readonly cookies: readonly Pair[];
  /** What must not appear in anything that comes back. */
  readonly secrets: readonly string[];
  /** Discards tokens from earlier calls; returns whether there were any. */
  renew(): boolean;
}

/** @throws ToolFailure `unavailable` for a missing credential, or if no token is issued. Never contains its value. */
export async function presentCredentials(
  credentials: readonly CredentialUse[],
  tokens: TokenStore,
  ctx: ToolContext,
): Promise<Presented> {
  const headers: Record<string, string> = {};
  const query: Pair[] = [];
  const cookies: Pair[] = [];
  const secrets: string[] = [];
  const renewals: (() => void)[] = [];
  for (const credential of credentials) {
    if (credential.kind === "client") {
      const client = {
        id: environmentValue(credential.idEnv, ctx),
        secret: environmentValue(credential.secretEnv, ctx),
      };
      const { token, isKept, forget } = await tokens.tokenFor(credential, client, ctx);
      headers["authorization"] = `Bearer ${sendable(token, "The token")}`;
      secrets.push(token, client.secret);
      if (isKept) renewals.push(forget);
      continue;
    }
    const value = environmentValue(credential.env, ctx);
    secrets.push(value);
    if (credential.kind === "bearer") headers["authorization"] = `Bearer ${value}`;
    else if (credential.in === "header") headers[credential.name.toLowerCase()] = value;
    else (credential.in === "query" ? query : cookies).push(encodedPair(credential.name, value));
  }
  const renew = () => {
    for (const forget of renewals) forget();
    return renewals.length > 0;
  };
  return { headers, query, cookies, secrets, renew };
}

function environmentValue(name: string, ctx: ToolContext): string {
  const value = ctx.io.environment.read(name);
  if (value !== undefined && value !== "") return sendable(value, `The environment variable ${name}`);
  throw new ToolFailure(
    "unavailable",
    `The environment variable ${name}, which this service needs, is not set.`,
    {
      hint: "Only the host application can set it.",
    },
  );
}

const PRINTABLE = /^[\u0021-\u007e](?:[\u0020-\u007e]*[\u0021-\u007e])?$/;

function sendable(value: string, what: string): string {
  if (PRINTABLE.test(value)) return value;
  throw new ToolFailure(
    "unavailable",
    `${what} contains a character that cannot be sent, such as a line break.`,
    {
      hint: "Only the host application can change it.",
    },
  );
}
