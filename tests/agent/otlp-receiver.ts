import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

/** A span as a collector receives it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** 1: internal, 3: client. */
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Whether its status is an error. */
  readonly isError: boolean;
}

/** An OTLP endpoint on the loopback interface, with the real exporter registered for this process. */
export interface OtlpReceiver extends AsyncDisposable {
  /** Everything that was received, after the exporter has sent what it has. */
  spans(): Promise<readonly ReceivedSpan[]>;
  /** The text of all requests. */
  text(): Promise<string>;
}

export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (request.url === "/v1/traces") bodies.push(Buffer.concat(parts).toString("utf8"));
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const exporter = new OTLPTraceExporter({ url: `http://127.0.0.1:${port}/v1/traces` });
  const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const flushed = async () => {
    await provider.forceFlush();
    return bodies;
  };
  return {
    spans: async () => (await flushed()).flatMap(spansIn),
    text: async () => (await flushed()).join("\n"),
    async [Symbol.asyncDispose]() {
      await provider.shutdown();
      trace.disable();
      context.disable();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface SentSpan extends Omit<ReceivedSpan, "attributes" | "isError"> {
  readonly attributes?: readonly {
    readonly key: string;
    readonly value: Readonly<Record<string, unknown>>;
  }[];
  readonly status?: { readonly code?: number };
}

function spansIn(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body) as {
    readonly resourceSpans: readonly {
      readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
    }[];
  };
  const sent = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  return sent.map(({ attributes = [], status, ...span }) => ({
    ...span,
    parentSpanId: span.parentSpanId ?? "",
    isError: status?.code === 2,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)])),
  }));
}

/** `{ stringValue: "a" }` as `"a"`. */
function plain(value: Readonly<Record<string, unknown>>): unknown {
  const [kind, inside] = Object.entries(value)[0] ?? [];
  if (kind === "intValue") return Number(inside);
  if (kind !== "arrayValue") return inside;
  return (inside as { readonly values: readonly Readonly<Record<string, unknown>>[] }).values.map(plain);
}

/** The spans as a tree of names, one line each, in the order in which they began. */
export function treeOf(spans: readonly ReceivedSpan[], parent = "", indent = ""): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const below = spans.filter(({ parentSpanId }) => (ids.has(parentSpanId) ? parentSpanId : "") === parent);
  const ordered = below.toSorted((one, other) => (startOf(one) < startOf(other) ? -1 : 1));
  return ordered.flatMap((span) => [
    `${indent}${span.name}${span.isError ? ` (${span.attributes["error.type"]})` : ""}`,
    ...treeOf(spans, span.spanId, `${indent}  `),
  ]);
}

function startOf({ startTimeUnixNano }: ReceivedSpan): bigint {
  return BigInt(startTimeUnixNano);
}
