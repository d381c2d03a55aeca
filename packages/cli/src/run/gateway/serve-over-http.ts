import type { Gateway } from "@toolkeep/mcp";
import { type Config, directories } from "@toolkeep/node/internal";
import { type IdentitySettings, identitySettings } from "../../project/identity/identity-settings.ts";
import type { Project } from "../../project/read-project.ts";
import { type CommandError, usageError } from "../../terminal/command-error.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { httpToken } from "./http-token.ts";

export interface HttpPlace {
  readonly port: number;
  readonly address?: string | undefined;
  /** The address that clients use, where it is another one. */
  readonly url?: string | undefined;
}

/** Starts to serve, and says where. */
export type ServeOverHttp = (gateway: Gateway, terminal: Terminal) => Promise<void>;

const LOOPBACK = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|localhost)$/;

/**
 * How a gateway is served over HTTP: to people who log in if the administrator has configured `identity`, and otherwise
 * to the programs of this user, which can read the token.
 * @throws CommandError for an address that others can reach without a login, or without a name of its own.
 */
export function servedOverHttp(place: HttpPlace, project: Pick<Project, "config">): ServeOverHttp {
  const settings = identitySettings(project.config);
  if (settings !== undefined) return toPeople(place, settings, project.config);
  if (place.url !== undefined) throw needsIdentity("`--url` is for people who log in");
  if (!isLoopback(place)) throw needsIdentity(`Other machines can reach ${place.address}`);
  return (gateway, terminal) => toPrograms(place, gateway, terminal);
}

async function toPrograms(place: HttpPlace, gateway: Gateway, terminal: Terminal): Promise<void> {
  const { token, file } = await httpToken();
  const { url } = await gateway.serveHttp({ ...listening(place), token });
  terminal.note(
    `The gateway listens at ${url}. Clients send the token in ${file} as \`Authorization: Bearer …\`.`,
  );
  if (terminal.json) terminal.show({ url, tokenFile: file }, []);
}

function toPeople(
  place: HttpPlace,
  settings: IdentitySettings,
  { environment }: Pick<Config, "environment">,
): ServeOverHttp {
  const resource = resourceOf(place, settings);
  const { issuer, audience } = settings;
  return async (gateway, terminal) => {
    // Loaded only where people log in.
    const { authenticationOf } = await import("../../project/identity/authentication.ts");
    const authentication = authenticationOf({
      settings,
      place: environment === undefined ? {} : { environment },
      ...(resource === undefined ? {} : { resource }),
    });
    const { url } = await gateway.servePeople({ ...listening(place), authentication });
    terminal.note(
      `The gateway listens at ${url}. People log in at ${issuer} for ${audience}; each has a session of their own.`,
    );
    if (terminal.json) terminal.show({ url, issuer, audience }, []);
  };
}

/** What clients get tokens for. Tokens must not travel in clear text to another machine. */
function resourceOf(place: HttpPlace, { audience }: IdentitySettings): string | undefined {
  const { url } = place;
  const isUrl = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (url !== undefined && !isUrl(url))
    throw usageError(`--url ${JSON.stringify(url)} is not an address.`, "Use https://…/mcp.");
  const resource = url ?? (isUrl(audience) ? audience : undefined);
  if (isLoopback(place) || resource?.startsWith("https:") === true) return resource;
  throw usageError(
    `Other machines can reach ${place.address}, and tokens need an encrypted connection.`,
    "Put a proxy with a certificate in front of the gateway, and name its address: --url https://tools.example.com/mcp.",
  );
}

function listening({ port, address }: HttpPlace): { readonly port: number; readonly address?: string } {
  return { port, ...(address === undefined ? {} : { address }) };
}

function isLoopback({ address }: HttpPlace): boolean {
  return address === undefined || LOOPBACK.test(address);
}

function needsIdentity(why: string): CommandError {
  return usageError(
    `${why}, and no login is configured.`,
    `Leave the option out, or have the administrator add to ${directories().managedConfig}: "identity": { "issuer": "https://login.example.com", "audience": "https://tools.example.com/mcp" }.`,
  );
}
