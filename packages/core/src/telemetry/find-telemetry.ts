import type { Context, Span } from "@opentelemetry/api";
import { CORE_VERSION } from "../contract/values/program.ts";
import type { OpenSpan, SpanAttributes, SpanStart, Telemetry } from "./telemetry.ts";

type Api = typeof import("@opentelemetry/api");

/** Under this key `@opentelemetry/api` keeps what an application registered, in whichever copy of the package. */
const REGISTRATION = Symbol.for("opentelemetry.js.api.1");

/**
 * The telemetry of the process; `undefined` unless a tracer provider is registered. `@opentelemetry/api` is loaded
 * only then.
 */
export function findTelemetry(): Promise<Telemetry | undefined> | undefined {
  const registered = (globalThis as { readonly [REGISTRATION]?: { readonly trace?: unknown } })[REGISTRATION];
  return registered?.trace === undefined ? undefined : load();
}

async function load(): Promise<Telemetry | undefined> {
  try {
    const api = await import("@opentelemetry/api");
    return new RegisteredTelemetry(api);
  } catch {
    // Another copy of the package registered a provider, and none can be found from here.
    return undefined;
  }
}

class RegisteredTelemetry implements Telemetry {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  start(span: SpanStart): OpenSpan {
    return opened(this.#api, span, this.#api.context.active());
  }
}

function opened(api: Api, { name, attributes, kind = "internal" }: SpanStart, parent: Context): OpenSpan {
  try {
    const tracer = api.trace.getTracer("@toolkeep/core", CORE_VERSION);
    const options = {
      attributes: copied(attributes),
      kind: api.SpanKind[kind === "client" ? "CLIENT" : "INTERNAL"],
    };
    const span = tracer.startSpan(name, options, parent);
    return new RegisteredSpan(api, span, api.trace.setSpan(parent, span));
  } catch {
    return UNSEEN;
  }
}

/** What an exporter or a processor does wrong changes nothing about a call. */
class RegisteredSpan implements OpenSpan {
  readonly #api: Api;
  readonly #span: Span;
  readonly #context: Context;
  #isOpen = true;

  constructor(api: Api, span: Span, context: Context) {
    this.#api = api;
    this.#span = span;
    this.#context = context;
  }

  child(name: string, attributes: SpanAttributes = {}): OpenSpan {
    return opened(this.#api, { name, attributes }, this.#context);
  }

  set(attributes: SpanAttributes): void {
    quietly(() => this.#span.setAttributes(copied(attributes)));
  }

  within<T>(action: () => T): T {
    return this.#api.context.with(this.#context, action);
  }

  end(failure?: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    quietly(() => {
      if (failure !== undefined) {
        this.#span.setAttribute("error.type", failure);
        this.#span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
      }
      this.#span.end();
    });
  }
}

/** Stands for a span that could not be opened. */
const UNSEEN: OpenSpan = Object.freeze({
  child: () => UNSEEN,
  set() {},
  within: <T>(action: () => T) => action(),
  end() {},
});

function copied(attributes: SpanAttributes): Record<string, string | number | boolean | string[]> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [name, typeof value === "object" ? [...value] : value]),
  );
}

function quietly(action: () => void): void {
  try {
    action();
  } catch {}
}
