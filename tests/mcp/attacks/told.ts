/** What a server of the attacks is told to say. */
export interface ToldServer {
  readonly tools: readonly object[];
  readonly resources?: readonly object[];
  /** By tool. */
  readonly answers?: Readonly<Record<string, ToldAnswer>>;
}

export interface ToldAnswer {
  readonly text?: string;
  /** Blocks before the text. */
  readonly content?: readonly object[];
  /** A request of the server's own, sent before it answers. */
  readonly asks?: { readonly method: string; readonly params: object };
  /** Answers with so many bytes instead. */
  readonly floodBytes?: number;
  /** Answers with the content of this file, or with why it could not be read. */
  readonly reads?: string;
}

/** A tool that takes what it is given. */
export function toldTool(name: string, fields: object = {}): object {
  return { name, description: `The tool ${name}.`, inputSchema: { type: "object" }, ...fields };
}
