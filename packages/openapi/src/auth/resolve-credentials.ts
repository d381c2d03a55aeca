import type { ToolkeepError } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";
import { isObject, type JsonObject, own, ownText } from "../document/json-object.ts";
import { resolveReference } from "../document/resolve-reference.ts";
import type { ServerAddress } from "../document/server-address.ts";
import { quoted, Unreadable } from "../document/unreadable.ts";
import type { ApiKeyCredential, ClientCredential, Credential, CredentialUse } from "./credential.ts";

const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const TOKEN = /^[\w!#$%&'*+.^`|~-]{1,256}$/;
/** Headers of the connection or of other credentials, or headers that are not expected to carry a secret. */
const REFUSED =
  /^(?:accept|accept-encoding|accept-language|cache-control|connection|content-encoding|content-language|content-length|content-type|cookie|expect|host|if-modified-since|if-none-match|range|te|trailer|transfer-encoding|upgrade|user-agent|via|proxy-.*)$/i;

/**
 * Assigns each credential to its location, as the document's scheme defines it.
 * @throws ToolkeepError `invalid_option` for a credential without a scheme, or one that would be sent to a host that
 * the host application did not name.
 */
export function resolveCredentials(
  auth: Readonly<Record<string, Credential>>,
  document: JsonObject,
  server: ServerAddress,
): ReadonlyMap<string, CredentialUse> {
  const schemes = securitySchemes(document);
  const known = Object.keys(schemes);
  return new Map(
    Object.entries(auth).map(([name, credential]) => {
      if (known.length > 0 && !known.includes(name))
        throw invalid(
          name,
          `the document has no such scheme; it has ${known.slice(0, 20).map(quoted).join(", ")}`,
        );
      const scheme = known.length === 0 ? undefined : schemeOf(name, own(schemes, name), document);
      return [name, resolveCredential(name, credential, { scheme, server })];
    }),
  );
}

/** The document's security schemes; none if it declares none. */
export function securitySchemes(document: JsonObject): JsonObject {
  const schemes = own(own(document, "components"), "securitySchemes");
  return isObject(schemes) ? schemes : {};
}

function schemeOf(name: string, scheme: unknown, document: JsonObject): JsonObject {
  try {
    return resolveReference(scheme, document);
  } catch (error) {
    throw error instanceof Unreadable ? invalid(name, "its scheme cannot be read") : error;
  }
}

interface CredentialSources {
  readonly scheme: JsonObject | undefined;
  readonly server: ServerAddress;
}

function resolveCredential(name: string, credential: Credential, around: CredentialSources): CredentialUse {
  const type = ownText(around.scheme, "type");
  if ("bearer" in credential) {
    const isBearer = type === "http" && ownText(around.scheme, "scheme")?.toLowerCase() === "bearer";
    if (type !== undefined && !isBearer && type !== "oauth2" && type !== "openIdConnect")
      throw invalid(name, `its scheme is of the type ${quoted(type)} and accepts no bearer token`);
    return { kind: "bearer", env: envName(name, credential.bearer) };
  }
  if ("apiKey" in credential) return resolveKey(name, credential, around);
  if ("clientId" in credential) return resolveClient(name, credential, around);
  throw invalid(name, "it is neither a bearer token, an API key nor a client");
}

function resolveKey(
  name: string,
  credential: ApiKeyCredential,
  { scheme }: CredentialSources,
): CredentialUse {
  if (scheme !== undefined && ownText(scheme, "type") !== "apiKey")
    throw invalid(name, "its scheme is not an API key");
  const where = scheme === undefined ? credential.in : ownText(scheme, "in");
  const called = scheme === undefined ? credential.name : ownText(scheme, "name");
  if (
    (where !== "header" && where !== "query" && where !== "cookie") ||
    called === undefined ||
    called === ""
  )
    throw invalid(name, "its location is unknown; set `in` and `name`");
  if (where !== "query" && (!TOKEN.test(called) || REFUSED.test(called)))
    throw invalid(name, `no key can be sent as ${quoted(called)}`);
  return { kind: "apiKey", env: envName(name, credential.apiKey), in: where, name: called };
}

function resolveClient(
  name: string,
  credential: ClientCredential,
  { scheme, server }: CredentialSources,
): CredentialUse {
  if (scheme !== undefined && ownText(scheme, "type") !== "oauth2")
    throw invalid(name, "its scheme is not OAuth 2");
  const flow = own(own(scheme, "flows"), "clientCredentials");
  const { tokenUrl = tokenUrlOf(name, flow, server), scopes, method = "basic" } = credential;
  if (
    !URL.canParse(tokenUrl) ||
    !/^https?:$/.test(new URL(tokenUrl).protocol) ||
    new URL(tokenUrl).username !== ""
  )
    throw invalid(name, "its `tokenUrl` is not a web address");
  return {
    kind: "client",
    idEnv: envName(name, credential.clientId),
    secretEnv: envName(name, credential.clientSecret),
    tokenUrl: new URL(tokenUrl).href,
    ...(scopes === undefined ? {} : { scopes }),
    method,
  };
}

/** A document does not decide which host receives the client's secret. */
function tokenUrlOf(name: string, flow: unknown, server: ServerAddress): string {
  const declared = ownText(flow, "tokenUrl");
  if (declared === undefined || !URL.canParse(declared, server.origin))
    throw invalid(name, "the document names no token endpoint; set `tokenUrl`");
  const url = new URL(declared, server.origin);
  if (url.origin === server.origin) return url.href;
  throw invalid(
    name,
    `the document would send the secret to ${quoted(url.host)}; set \`tokenUrl\` to confirm the host`,
  );
}

function envName(scheme: string, name: unknown): string {
  if (typeof name === "string" && ENV_NAME.test(name)) return name;
  throw invalid(scheme, "credentials must be names of environment variables, such as PETS_TOKEN");
}

function invalid(name: string, reason: string): ToolkeepError {
  return invalidOption(`The credential for ${quoted(name)} cannot be used: ${reason}.`);
}
