import {
  type Connection,
  type ConnectOptions,
  connect,
  type OAuthOptions,
  type ServerEntry,
} from "@toolkeep/mcp";
import { logins } from "../project/logins.ts";

/** Somebody who can log in. */
export type LoginPerson = Required<Pick<OAuthOptions, "confirm" | "open">>;

/**
 * Reaches servers with the logins that are kept. Without a person a server that wants another login is refused, and
 * the refusal says what to run.
 */
export function connectAs(person?: LoginPerson) {
  const store = logins();
  return (entry: ServerEntry, options: ConnectOptions): Connection => {
    const command = `toolkeep servers login ${entry.name}`;
    return connect(entry, { ...options, oauth: { store, command, ...person } });
  };
}
