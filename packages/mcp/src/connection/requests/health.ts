import type { Client } from "@modelcontextprotocol/client";
import { ToolFailure } from "@toolkeep/core";
import type { Link } from "../link/link.ts";

/** Whether a server still responds. */
export interface Health {
  answered(): void;
  /** After two timeouts in a row the server is pinged, and dropped if it does not answer. */
  timedOut(): void;
}

const MOST_SILENT = 2;
const SIGN_WITHIN_MS = 5_000;

export function healthOf(client: Client, link: Link): Health {
  let silent = 0;
  let isAsking = false;
  return {
    answered() {
      silent = 0;
    },
    timedOut() {
      silent += 1;
      if (silent < MOST_SILENT || isAsking) return;
      isAsking = true;
      void signOfLife(client)
        .then(
          () => {
            silent = 0;
          },
          () => link.drop(new ToolFailure("unavailable", "The server hangs: it does not answer.")),
        )
        .finally(() => {
          isAsking = false;
        });
    },
  };
}

/** The newer protocol generation has no ping. */
function signOfLife(client: Client): Promise<unknown> {
  const options = { timeout: SIGN_WITHIN_MS };
  return client.getProtocolEra() === "modern" ? client.discover(options) : client.ping(options);
}
