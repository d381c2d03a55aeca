import type { ToolkeepError } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";
import { isObject, type JsonObject, objectsIn, own, ownText } from "./json-object.ts";
import { plainSpelling, spellingError } from "./plain-spelling.ts";
import { quoted } from "./unreadable.ts";
import { leadsUpwards } from "./upward-path.ts";

/** Where the operations of a document are called. Fixed when the tools are created: no argument changes it. */
export interface ServerAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** As in effects and requirements: lower case, without port. */
  readonly host: string;
  /** Begins with a slash and does not end with one; empty for the root. */
  readonly path: string;
}

/**
 * The first of these servers, with its variables replaced by their defaults.
 * @throws ToolkeepError `invalid_option` for an incomplete web address, even after `documentUrl` completes it.
 */
export function firstServer(servers: unknown, documentUrl: string | undefined): ServerAddress {
  const [server] = objectsIn(servers);
  const template = ownText(server, "url") ?? "/";
  const address = template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => variableOf(server, name));
  if (!URL.canParse(address, documentUrl))
    throw invalidOption(
      `The document's server is ${quoted(address)}, which is not a complete address. Set \`baseUrl\`.`,
    );
  return readServer(new URL(address, documentUrl).href);
}

/** A server by its address. @throws ToolkeepError `invalid_option` for anything but scheme, host, port and path. */
export function readServer(address: string): ServerAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw invalid(address, "it is not a web address");
  if (url.username !== "" || url.password !== "")
    throw invalid(url.host, "it contains a user name or a password");
  if (url.search !== "" || url.hash !== "") throw invalid(url.host, "it contains a query or a fragment");
  const host = url.hostname.replace(/\.$/, "");
  url.hostname = host;
  // A star in a target would be a pattern.
  const path = plainSpelling(url.pathname)
    .replace(/(?<!\/)\/+$/, "")
    .replaceAll("*", "%2A");
  const error = leadsUpwards(path) ? "its path leads upwards" : spellingError(path);
  if (error !== undefined) throw invalid(url.host, error);
  return Object.freeze({ origin: url.origin, host, path });
}

function variableOf(server: JsonObject | undefined, name: string): string {
  const variable = own(own(server, "variables"), name);
  const value = isObject(variable) ? ownText(variable, "default") : undefined;
  const choices = own(variable, "enum");
  if (value === undefined || (Array.isArray(choices) && !choices.includes(value)))
    throw invalidOption(
      `The document's server has a variable ${quoted(name)} without a valid default. Set \`baseUrl\`.`,
    );
  return value;
}

function invalid(what: string, reason: string): ToolkeepError {
  return invalidOption(`The server ${quoted(what)} cannot be used: ${reason}.`);
}
