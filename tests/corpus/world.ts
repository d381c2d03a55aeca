import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable, type Transform } from "node:stream";
import { createBrotliCompress, createGzip, constants as zlib } from "node:zlib";
import type { NetworkSettings } from "@toolkeep/node";
import type { CorpusRecord } from "./record.ts";

/** Names that stand for public hosts: the host application lists them, so that they may be on loopback. */
const PUBLIC = ["pub.example.test", "other.example.test", "docs.example.test"];
const INTERNAL = ["internal.example.test", "metadata.google.internal", "localhost", "localhost."];

/** The network of a run: a server that must not be reached, and one that stands for the web. */
export interface World {
  readonly internalPort: number;
  /** How often the internal server was reached since it was last asked. */
  hits(): number;
  readonly settings: NetworkSettings;
  /** Where a search is answered. */
  readonly searchUrl: string;
  /** Names resolve and pages answer as this record has it. */
  turnTo(record: CorpusRecord): void;
  /** Public hosts of a record are at the port of the server that stands for them. */
  placed<T>(value: T): T;
  close(): void;
}

export async function openWorld(): Promise<World> {
  let hits = 0;
  let answers: Readonly<Record<string, string>> = {};
  let names: NonNullable<CorpusRecord["setup"]["dns"]> = {};
  let asked = 0;
  const internal = await listening(
    createServer((_request, response) => response.end("CANARY")).on("connection", () => {
      hits += 1;
    }),
  );
  const web = await listening(
    createServer((request, response) => {
      if (request.url?.startsWith("/search")) {
        response.writeHead(200, { "content-type": "application/json" }).end('{"results":[]}');
        return;
      }
      const answer = answers[request.url ?? ""] ?? "200";
      const body = bodyOf(answer);
      if (body !== undefined) {
        response.writeHead(200, body.encoding === undefined ? {} : { "content-encoding": body.encoding });
        body.stream.pipe(response).on("close", () => body.stream.destroy());
        return;
      }
      if (answer === "1 MB of headers") {
        response.socket?.end(`HTTP/1.1 200 OK\r\n${"x-a: b\r\n".repeat(125_000)}\r\n`);
        return;
      }
      const [status = "200", location] = answer.split(" ");
      response.writeHead(Number(status) || 200, location?.includes("/") ? { location } : {}).end("a page");
    }),
  );
  const webPort = portOf(web);
  const internalPort = portOf(internal);
  const placed = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value).replaceAll(
        /(http:\/\/(?:pub|other|docs)\.example\.test\.?)(?=\/|"|$)/gi,
        `$1:${webPort}`,
      ),
    ) as T;
  return {
    internalPort,
    hits() {
      const since = hits;
      hits = 0;
      return since;
    },
    searchUrl: `http://docs.example.test:${webPort}/search`,
    settings: {
      privateHosts: PUBLIC.map((host) => `${host}:${webPort}`),
      // Open, so that it is not for its port that an attack is refused.
      ports: [internalPort, webPort],
      bounds: { maxBytes: 2_000_000, timeoutMs: 3_000 },
      async resolve(host) {
        asked += 1;
        const given = names[host];
        if (given === undefined) return [...PUBLIC, ...INTERNAL].includes(host) ? ["127.0.0.1"] : [];
        const after = given.find((text) => text.endsWith(" after"));
        return after === undefined ? given : [(asked === 1 ? given[0] : after)?.split(" ")[0] ?? ""];
      },
    },
    turnTo({ setup }) {
      answers = placed(setup.http ?? {});
      names = setup.dns ?? {};
      asked = 0;
    },
    placed,
    close() {
      for (const server of [internal, web]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

async function listening(server: Server): Promise<Server> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Answers without an end, or with far more in them than they seem. */
function bodyOf(answer: string): { readonly stream: Readable; readonly encoding?: string } | undefined {
  if (answer.includes("gzip of")) return { stream: pour(createGzip(), 200), encoding: "gzip" };
  if (answer.includes("br of")) {
    const fast = createBrotliCompress({ params: { [zlib.BROTLI_PARAM_QUALITY]: 1 } });
    return { stream: pour(fast, 1_000), encoding: "br" };
  }
  if (answer.startsWith("1 byte per second")) return { stream: dripping() };
  if (answer.startsWith("endless")) return { stream: endless() };
  if (answer.includes("nested <div>")) return { stream: textStream("<div>".repeat(100_000)) };
  if (answer.includes("laughs"))
    return {
      stream: textStream(`<!DOCTYPE l [<!ENTITY a "lol">${"<!ENTITY b '&a;&a;'>".repeat(30)}]><l>&b;</l>`),
    };
  return undefined;
}

const MEGABYTE = Buffer.alloc(1_000_000);

function pour(packer: Transform, megabytes: number): Readable {
  return Readable.from(repeated(megabytes)).pipe(packer);
}

function* repeated(times: number): Generator<Buffer> {
  for (let done = 0; done < times; done += 1) yield MEGABYTE;
}

function endless(): Readable {
  return Readable.from(repeated(Number.POSITIVE_INFINITY));
}

function dripping(): Readable {
  return Readable.from(
    (async function* () {
      for (;;) {
        yield ".";
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    })(),
  );
}

function textStream(text: string): Readable {
  return Readable.from([text]);
}
