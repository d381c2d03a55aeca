import {
  Client,
  type ClientOptions,
  type PriorDiscovery,
  SdkError,
  SdkErrorCode,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { ToolFailure } from "@toolkeep/core";
import { HttpLink } from "../link/http-link.ts";
import type { Link } from "../link/link.ts";
import { StdioLink } from "../link/stdio-link.ts";
import { InFlight } from "./in-flight.ts";

/** A client whose server answered, for one link. */
export interface OpenedClient {
  readonly name: string;
  readonly client: Client;
  readonly link: Link;
  readonly inFlight: InFlight;
  readonly health: Health;
}

export interface ClientMaker {
  readonly name: string;
  readonly clientInfo: { readonly name: string; readonly version: string };
  newLink(): Promise<Link>;
  /** Installs the handlers for a server's requests, before it can send any. */
  prepare(client: Client, inFlight: InFlight): void;
}

/** The protocol generation of a server, if it is known. */
export type ProtocolGeneration = "legacy" | "modern";

const PROBE_MS = 5_000;
const START_MS = 60_000;
const MOST_LOGINS = 3;
const MODERN_REVISION = "2026-07-28";

/** Whether a server still responds. */
interface Health {
  answered(): void;
  /** After two timeouts in a row the server is pinged, and dropped if it does not answer. */
  timedOut(): void;
}

const MOST_SILENT = 2;
const SIGN_WITHIN_MS = 5_000;

/** Opens a link and negotiates a protocol version. `taken` gets the link as soon as it exists, to drop it. */
export async function openClient(
  maker: ClientMaker,
  generation: ProtocolGeneration | undefined,
  taken: (link: Link) => void,
): Promise<OpenedClient> {
  let known = generation;
  for (let logins = 0; ; ) {
    const link = await maker.newLink();
    taken(link);
    try {
      return await agreed(maker, link, known);
    } catch (error) {
      if (known === undefined && endedOnProbe(error, link)) known = "legacy";
      else if (error instanceof UnauthorizedError && link instanceof HttpLink && logins < MOST_LOGINS) {
        if (!(await link.authorize(link.logins))) throw error;
        logins += 1;
      } else {
        await link.close().catch(() => {});
        throw error;
      }
    }
  }
}

async function agreed(
  maker: ClientMaker,
  link: Link,
  generation: ProtocolGeneration | undefined,
): Promise<OpenedClient> {
  const client = new Client(maker.clientInfo, clientOptions(link, generation));
  const inFlight = new InFlight();
  maker.prepare(client, inFlight);
  const prior: { prior?: PriorDiscovery } = generation === "legacy" ? { prior: { kind: "legacy" } } : {};
  await client.connect(link, { ...prior, timeout: START_MS });
  return { name: maker.name, client, link, inFlight, health: healthOf(client, link) };
}

function clientOptions(link: Link, generation: ProtocolGeneration | undefined): ClientOptions {
  return {
    // No sampling and no roots: a server gets access to neither our model nor our folders.
    capabilities: { elicitation: { form: { applyDefaults: true }, url: {} } },
    versionNegotiation: {
      mode: generation === "modern" ? { pin: MODERN_REVISION } : "auto",
      probe: { timeoutMs: link instanceof StdioLink ? PROBE_MS : START_MS },
    },
    // A server could block us with a pattern that takes forever on its own output. Results are untrusted anyway.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
  };
}

/** Programs built with older libraries exit at the first request they do not know. */
function endedOnProbe(error: unknown, link: Link): boolean {
  return (
    link instanceof StdioLink &&
    link.hasEnded &&
    link.error === undefined &&
    error instanceof SdkError &&
    error.code === SdkErrorCode.EraNegotiationFailed
  );
}

function healthOf(client: Client, link: Link): Health {
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
