/** A call that the scripted model makes, in the words of the client. */
export interface ModelCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What the model answers: one call, or its last words. */
export type Turn = { readonly call: ModelCall } | { readonly words: string };

export type Body = Readonly<Record<string, unknown>>;

export interface Reply {
  readonly type: "application/json" | "text/event-stream";
  readonly text: string;
}

/** How clients of one maker talk to a model. */
export interface Protocol {
  isFor(path: string): boolean;
  /** The results of tools in the conversation so far; `undefined` for another request, such as one for a title. */
  results(body: Body): readonly string[] | undefined;
  reply(turn: Turn, request: { readonly body: Body; readonly path: string; readonly id: string }): Reply;
}

export function json(value: unknown): Reply {
  return { type: "application/json", text: JSON.stringify(value) };
}

/** Events of a stream, each with its name if it has a type. */
export function events(all: readonly (Body | string)[]): Reply {
  const lines = all.map((one) => {
    if (typeof one === "string") return `data: ${one}\n\n`;
    const name = typeof one["type"] === "string" ? `event: ${one["type"]}\n` : "";
    return `${name}data: ${JSON.stringify(one)}\n\n`;
  });
  return { type: "text/event-stream", text: lines.join("") };
}

export function listIn(body: Body, name: string): readonly Body[] {
  const value = body[name];
  return Array.isArray(value) ? (value as readonly Body[]) : [];
}

/** All text of a value in the words of a protocol. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("\n");
  if (typeof value !== "object" || value === null) return "";
  const { text, content, output } = value as Body;
  return textOf(text ?? content ?? output ?? "");
}
