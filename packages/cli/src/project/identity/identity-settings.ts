import { isTrustedAddress } from "@toolkeep/core/internal";
import type { Config } from "@toolkeep/node/internal";
import { CommandError } from "../../terminal/command-error.ts";

/** Whose tokens say who users are, as the administrator has configured it. */
export type IdentitySettings = Config["identity"] & { readonly issuer: string; readonly audience: string };

/**
 * The settings of `identity`; `undefined` if nothing is configured.
 * @throws CommandError for settings that are incomplete, or whose addresses cannot be trusted: no user is let in then.
 */
export function identitySettings({
  identity,
  approvers = {},
}: Pick<Config, "identity" | "approvers">): IdentitySettings | undefined {
  if (Object.keys(identity).length === 0) return undefined;
  const { issuer, audience, jwksUri, userClaim } = identity;
  if (issuer === undefined || audience === undefined)
    throw invalid(
      `\`identity.${issuer === undefined ? "issuer" : "audience"}\` is missing`,
      'Write "identity": { "issuer": "https://login.example.com", "audience": "https://tools.example.com/mcp" }.',
    );
  if (!isTrustedAddress(issuer) || /[?#]/.test(issuer))
    throw invalid(
      "`identity.issuer` is not an https address",
      "Write it as the issuer has it in its tokens.",
    );
  if (jwksUri !== undefined && !isTrustedAddress(jwksUri) && !isFile(jwksUri))
    throw invalid(
      "`identity.jwksUri` is neither an https address nor a file",
      "Write https://… or file:///etc/….",
    );
  const unnamed = Object.entries(approvers).find(([, { users = [] }]) => users.length === 0)?.[0];
  if (userClaim === undefined && unnamed !== undefined)
    throw new CommandError(
      `Invalid configuration: tokens name people by \`sub\`, and \`approvers\` does not say which \`sub\` ${JSON.stringify(unnamed)} has, so this person could approve their own calls.`,
      {
        hint: `Write "identity": { …, "userClaim": "email" } if approvers have the names of that claim, or "users": ["SUB"] for ${JSON.stringify(unnamed)}.`,
      },
    );
  return { ...identity, issuer, audience };
}

function isFile(address: string): boolean {
  return URL.canParse(address) && new URL(address).protocol === "file:" && new URL(address).host === "";
}

function invalid(what: string, hint: string): CommandError {
  return new CommandError(`Invalid configuration: ${what}, so no user can be identified.`, { hint });
}
