/** What a span says: names and numbers, never arguments or results. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** One span that is open. */
export interface OpenSpan {
  /** Opens a span below this one. */
  child(name: string, attributes?: SpanAttributes): OpenSpan;
  set(attributes: SpanAttributes): void;
  /** Runs the action with this span as the active one: what it opens is below it. */
  within<T>(action: () => T): T;
  /** Ends it; with the code of a failure, as failed. Ends once. */
  end(failure?: string): void;
}

/** A span to open. */
export interface SpanStart {
  readonly name: string;
  readonly attributes: SpanAttributes;
  /** `client` for a request to another system. Default: `internal`. */
  readonly kind?: "client" | "internal";
}

/** Where spans go. */
export interface Telemetry {
  /** Opens a span below the active one, or as the root of a trace. */
  start(span: SpanStart): OpenSpan;
}
