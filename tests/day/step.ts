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

/** Programs that a client may take for reading, whatever their options are. */
const QUIET = new Set(
  (
    "ls cat head tail wc nl tac grep egrep fgrep rg find tree du df stat file diff cmp comm sort uniq cut tr paste " +
    "column basename dirname realpath readlink jq awk sed md5sum sha256sum pwd which date echo printf true false " +
    "uname id whoami hostname cd test sleep uptime ps ip ping nslookup dig xargs base64 od xxd strings env printenv " +
    "set export git gh docker timeout time nice nohup for while if"
  ).split(" "),
);

/** Whether a client surely asks about a call in its default mode: the worst case for what is left to it. */
export function surelyPrompts({ tool: name, input }: ClientCall): boolean {
  if (name !== "Bash")
    return name === "WebFetch" || name.startsWith("mcp__") || /^(?:Write|Edit)$/.test(name);
  const line = String(input["command"]);
  const programs = line.split(/[|;&\n(){}]+/).map(
    (part) =>
      part
        .trim()
        .replace(/^(?:\w+=\S* )+/, "")
        .split(" ")[0],
  );
  return programs.some((program) => program !== undefined && /^[a-z./]/.test(program) && !QUIET.has(program));
}
