import type { Effect, RequirementSet } from "@toolkeep/core";
import { effect, envRead, netFetch, type ToolMode } from "@toolkeep/core/internal";
import { type CredentialUse, environmentOf } from "../auth/credential.ts";
import type { Method } from "../document/list-operations.ts";
import type { ServerAddress } from "../document/server-address.ts";
import { otherReadings } from "../request/path-readings.ts";

/** The effect of a method on its target. */
type HttpCapability = "http.read" | "http.write" | "http.delete";

const CAPABILITIES: Readonly<Record<Method, HttpCapability>> = {
  GET: "http.read",
  HEAD: "http.read",
  OPTIONS: "http.read",
  POST: "http.write",
  PUT: "http.write",
  PATCH: "http.write",
  DELETE: "http.delete",
};

const MODES: Readonly<Record<HttpCapability, ToolMode>> = {
  "http.read": "read",
  "http.write": "external",
  "http.delete": "destructive",
};

function capabilityOf(method: Method): HttpCapability {
  return CAPABILITIES[method];
}

/** Whether a text is a method with the same effect as this one. */
export function hasSameEffect(method: Method) {
  return (other: string): other is Method =>
    Object.hasOwn(CAPABILITIES, other) && CAPABILITIES[other as Method] === CAPABILITIES[method];
}

export function modeOf(method: Method): ToolMode {
  return MODES[CAPABILITIES[method]];
}

/** What all calls of one operation have in common. */
export interface Reach {
  readonly method: Method;
  readonly server: ServerAddress;
  readonly credentials: readonly CredentialUse[];
}

/** What an operation can require: its host, the host of its tokens, the names of its credentials. */
export function requirementsOf({ method, server, credentials }: Reach): RequirementSet {
  const env = credentials.flatMap(environmentOf);
  return {
    net: { hosts: [...new Set([server.host, ...credentials.flatMap(tokenHosts)])] },
    ...(env.length === 0 ? {} : { env: [...new Set(env)] }),
    capabilities: [capabilityOf(method)],
  };
}

/**
 * The effects of one call. Reading is `net.fetch` of the host, which a rule on `net.fetch` allows; the path is added
 * for rules that deny. Changing something is `http.write` or `http.delete` on the path, and only a rule on that
 * allows it; reaching the host is implied. Rules that deny any other path that servers may read from this one apply
 * as well.
 */
export function effectsOf({ method, server, credentials }: Reach, path: string): readonly Effect[] {
  const capability = capabilityOf(method);
  const fetches = netFetch(server.host);
  const host = server.origin.slice(server.origin.indexOf("//") + 2);
  const acting = (on: string) => effect(capability, `${method} ${host}${on}`);
  const acts = acting(path);
  const implied = (one: Effect): Effect => ({ ...one, implied: true });
  return [
    ...(capability === "http.read" ? [fetches, implied(acts)] : [acts, implied(fetches)]),
    ...otherReadings(path).map((reading) => implied(acting(reading))),
    ...credentials.flatMap(tokenHosts).map((tokenHost) => implied(netFetch(tokenHost))),
    ...credentials.flatMap(environmentOf).map((name) => implied(envRead(name))),
  ];
}

function tokenHosts(credential: CredentialUse): string[] {
  return credential.kind === "client" ? [new URL(credential.tokenUrl).hostname] : [];
}
