import { stat } from "node:fs/promises";
import type { Principal } from "@toolkeep/core";
import { readOwnedFile } from "@toolkeep/node/internal";
import { CommandError } from "../../terminal/command-error.ts";
import { isRefused, type Place, principalOf } from "./authentication.ts";
import type { IdentitySettings } from "./identity-settings.ts";
import { TokenVerifier } from "./token-verifier.ts";

const MOST_BYTES = 32 * 1024;

/** By their settings: a process that lasts keeps the keys of the issuer. */
const verifiers = new Map<string, TokenVerifier>();

/**
 * The principal of the token that the administrator wants the program to have. It is verified every time.
 * @throws CommandError if it is missing or not valid: then no call may be made.
 */
export async function tokenPrincipal(
  settings: IdentitySettings & { readonly tokenFile: string },
  place: Place,
): Promise<Partial<Principal>> {
  const { tokenFile, issuer } = settings;
  const refused = (why: string) =>
    new CommandError(
      `The token in ${tokenFile} is not accepted: ${why} Every call is denied until the file has a valid token of ${issuer}: log in again.`,
    );
  const found = await readOwnedFile(tokenFile, { mostBytes: MOST_BYTES });
  if (found?.error !== undefined) throw refused(`${found.error}.`);
  const token = found?.text.trim() ?? "";
  if (token === "") throw refused("there is none.");
  if (((await stat(tokenFile)).mode & 0o007) !== 0)
    throw refused(`every user of this machine can use the file. Run \`chmod 600 ${tokenFile}\`.`);
  const verified = await verifierFor(settings).verify(token);
  if (isRefused(verified)) throw refused(verified.reason);
  return principalOf(verified, place);
}

function verifierFor(settings: IdentitySettings): TokenVerifier {
  const key = JSON.stringify(settings);
  const known = verifiers.get(key) ?? new TokenVerifier(settings);
  verifiers.set(key, known);
  return known;
}
