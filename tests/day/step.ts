/** A call of a tool of a client, in the words of Claude Code. Other clients translate it. */
export interface ClientCall {
  readonly tool: string;
  /** `{project}` and `{home}` are replaced when it is played. */
  readonly input: Readonly<Record<string, unknown>>;
}

export type Expected = "allow" | "ask" | "deny";

/** One call of a recorded day, and what a sensible user expects of it. */
export interface Step {
  readonly name: string;
  readonly call: ClientCall;
  readonly expected: Expected;
  /** Whether the client asks by itself in its default mode, if nothing decides before. */
  readonly prompts: boolean;
}

export function bash(command: string, more: ClientCall["input"] = {}): ClientCall {
  return { tool: "Bash", input: { command, ...more } };
}

export function read(path: string): ClientCall {
  return { tool: "Read", input: { file_path: path } };
}

export function write(path: string, content = "x\n"): ClientCall {
  return { tool: "Write", input: { file_path: path, content } };
}

export function edit(path: string, before = "a", after = "b"): ClientCall {
  return { tool: "Edit", input: { file_path: path, old_string: before, new_string: after } };
}

export function tool(name: string, input: ClientCall["input"] = {}): ClientCall {
  return { tool: name, input };
}

/** What a step does, in one line. */
export function wordsOf({ tool: name, input }: ClientCall): string {
  const what =
    input["command"] ?? input["file_path"] ?? input["url"] ?? input["pattern"] ?? input["path"] ?? "";
  const words = name === "Bash" ? String(what) : `${name} ${String(what)}`.trimEnd();
  return words.replaceAll("\n", "⏎");
}
