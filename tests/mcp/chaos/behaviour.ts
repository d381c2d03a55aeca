/** What a call asks of the server: to answer, or to misbehave in one of these ways. */
export const BEHAVIOURS = [
  "answer",
  "answer-late",
  "fail",
  "hang",
  "exit",
  "kill",
  "leave-child",
  "half",
  "garbage",
  "flood-lines",
  "flood-notes",
  "flood-errors",
  "huge",
  "wrong-id",
  "twice",
  "wrong-shape",
  "progress-forever",
  "change-tools",
  "close",
] as const;

export type Behaviour = (typeof BEHAVIOURS)[number];

export interface RpcMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly do?: Behaviour; readonly note?: string };
    readonly protocolVersion?: string;
    readonly _meta?: { readonly progressToken?: string | number };
  };
}

/** The tools in their n-th form: whenever they change, one comes or goes, and another says something else of itself. */
function toolsOf(form: number): readonly object[] {
  const act = {
    name: "act",
    description: "Does what it is told.",
    inputSchema: {
      type: "object",
      properties: { do: { type: "string" }, note: { type: "string" } },
      required: ["do"],
    },
  };
  const moody = { ...act, name: "moody", description: `Says something else each time: ${form}.` };
  return form % 2 === 0 ? [act, moody] : [act, moody, { ...act, name: `extra-${form % 5}` }];
}

/** The answer to everything but calls; `undefined` for what wants none. */
export function plainAnswer({ id, method, params }: RpcMessage, form: number): object | undefined {
  if (id === undefined) return undefined;
  if (method === "initialize") {
    return result(id, {
      protocolVersion: params?.protocolVersion ?? "2025-11-25",
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "chaos", version: "1.0.0" },
    });
  }
  if (method === "ping") return result(id, {});
  if (method === "tools/list") return result(id, { tools: toolsOf(form) });
  return { jsonrpc: "2.0", id, error: { code: -32_601, message: "Method not found" } };
}

export function result(id: string | number, value: object): object {
  return { jsonrpc: "2.0", id, result: value };
}

export function said(id: string | number, text: string): object {
  return result(id, { content: [{ type: "text", text }] });
}
