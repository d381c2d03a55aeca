import type { ServerEntry } from "../servers/server-entry.ts";
import type { ConnectOptions } from "./connect-options.ts";
import type { Connection } from "./news/connection.ts";
import { ServerConnection } from "./server-connection.ts";

/**
 * Connects to a server and keeps it connected. The entry must be expanded: no variables in it are looked up.
 * Never throws for what the server does; `status` reports it.
 * @throws ToolkeepError `invalid_option` for the secret of an OAuth client without its issuer.
 */
export function connect(entry: ServerEntry, options: ConnectOptions = {}): Connection {
  return new ServerConnection(entry, options);
}
