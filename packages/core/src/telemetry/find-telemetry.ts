import type { Context, ContextManager, Span, TracerProvider } from "@opentelemetry/api";
import { CORE_VERSION } from "../contract/values/program.ts";
import type { OpenSpan, SpanAttributes, SpanStart, Telemetry } from "./telemetry.ts";

interface Registration {
  readonly trace?: TracerProvider;
  readonly context?: ContextManager;
}

/** Under this key `@opentelemetry/api` keeps what an application registered, for every copy of the package. */
const REGISTRATION = Symbol.for("opentelemetry.js.api.1");
/** Under this key a context has its active span. */
const SPAN = Symbol.for("OpenTelemetry Context Key SPAN");
const SPAN_KIND = { internal: 0, client: 2 } as const;
const STATUS_ERROR = 2;

/**
 * The telemetry of the process; `undefined` unless a tracer provider is registered. `@opentelemetry/api` is not
 * imported: it need not be installed, and bundlers look for what is imported.
 */
export function findTelemetry(): Telemetry | undefined {
  return registration().trace === undefined ? undefined : REGISTERED;
}

function registration(): Registration {
  return (globalThis as { readonly [REGISTRATION]?: Registration })[REGISTRATION] ?? {};
}

const REGISTERED: Telemetry = Object.freeze({
  start: (span: SpanStart) => opened(span, registration().context?.active() ?? contextOf(new Map())),
});

/** What the API takes where no context manager is registered. */
function contextOf(values: ReadonlyMap<symbol, unknown>): Context {
  return {
    getValue: (key) => values.get(key),
    setValue: (key, value) => contextOf(new Map(values).set(key, value)),
    deleteValue: (key) => contextOf(new Map([...values].filter(([other]) => other !== key))),
  };
}

function opened({ name, attributes, kind = "internal" }: SpanStart, parent: Context): OpenSpan {
  try {
    const tracer = registration().trace?.getTracer("@toolkeep/core", CORE_VERSION);
    if (tracer === undefined) return UNSEEN;
    const span = tracer.startSpan(name, { attributes: copied(attributes), kind: SPAN_KIND[kind] }, parent);
    return new RegisteredSpan(span, parent.setValue(SPAN, span));
  } catch {
    return UNSEEN;
  }
}

/** What an exporter or a processor does wrong changes nothing about a call. */
class RegisteredSpan implements OpenSpan {
  readonly #span: Span;
  readonly #context: Context;
  #isOpen = true;

  constructor(span: Span, context: Context) {
    this.#span = span;
    this.#context = context;
  }

  child(name: string, attributes: SpanAttributes = {}): OpenSpan {
    return opened({ name, attributes }, this.#context);
  }

  set(attributes: SpanAttributes): void {
    quietly(() => this.#span.setAttributes(copied(attributes)));
  }

  within<T>(action: () => T): T {
    const { context } = registration();
    return context === undefined ? action() : context.with(this.#context, action);
  }

  end(failure?: string): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    quietly(() => {
      if (failure !== undefined) {
        this.#span.setAttribute("error.type", failure);
        this.#span.setStatus({ code: STATUS_ERROR });
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
