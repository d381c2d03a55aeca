import { join } from "node:path";
import { fileTokenStore, type TokenStore } from "@toolkeep/mcp";
import { directories } from "@toolkeep/node/internal";

/** The logins of this user, by the address of the server. Whoever can read the file can act in the user's name. */
export function logins(): TokenStore {
  return fileTokenStore(join(directories().state, "logins.json"));
}
