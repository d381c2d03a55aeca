import type { Client } from "@modelcontextprotocol/client";
import { ToolFailure } from "@toolkeep/core";
import type { Link } from "./link.ts";

/** Whether a server still answers at all. */
export interface Health {
  answered(): void;
  /** After two in a row the server is asked for a sign of life, and dropped without one. */
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
          () => link.drop(new ToolFailure("unavailable", "The server hangs: it answers nothing any more.")),
        )
        .finally(() => {
          isAsking = false;
        });
    },
  };
}

/** The newer revision of the protocol has no ping. */
function signOfLife(client: Client): Promise<unknown> {
  const options = { timeout: SIGN_WITHIN_MS };
  return client.getProtocolEra() === "modern" ? client.discover(options) : client.ping(options);
}
