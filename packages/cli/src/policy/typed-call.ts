import { joinCommand } from "@toolkeep/core/internal";
import { fieldsInText, isFields } from "../clients/payload.ts";
import { type CommandError, usageError } from "../terminal/command-error.ts";

/** A call that a user typed. */
export interface TypedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The argument that a text without JSON stands for. */
const MAIN: Readonly<Record<string, string>> = {
  bash: "command",
  read: "path",
  write: "path",
  edit: "path",
  delete: "path",
  list: "path",
  glob: "pattern",
  grep: "pattern",
  web_fetch: "url",
  web_search: "query",
};

/**
 * Reads a call as it is typed: a command line, which is one of `bash`; with a tool, its arguments as JSON, or the text
 * of its main argument; or JSON with `tool` and `arguments`.
 * @throws CommandError for anything else.
 */
export function typedCall(
  typed: readonly string[],
  tool: string | undefined,
  command: readonly string[] = ["policy", "explain", "--tool"],
): TypedCall {
  const [only = ""] = typed;
  // The shell has split several words already: they are one command.
  const text = (typed.length === 1 ? only : joinCommand(typed)).trim();
  const fields = text.startsWith("{") ? fieldsInText(text) : undefined;
  if (tool !== undefined) return { tool, arguments: fields ?? mainArgument(tool, text, command) };
  if (fields === undefined) {
    if (text === "") throw invalid("The command is empty.");
    return { tool: "bash", arguments: { command: text } };
  }
  const { tool: name, arguments: args } = fields;
  if (typeof name === "string" && isFields(args)) return { tool: name, arguments: args };
  throw invalid("JSON without --tool needs the keys `tool` and `arguments`.");
}

function mainArgument(tool: string, text: string, command: readonly string[]): TypedCall["arguments"] {
  const name = Object.hasOwn(MAIN, tool) ? MAIN[tool] : undefined;
  if (text === "") return {};
  if (name !== undefined) return { [name]: text };
  const example = joinCommand(["toolkeep", ...command, tool, '{"name":"value"}']);
  throw invalid(`The arguments of ${tool} must be a JSON object.`, `Write them like \`${example}\`.`);
}

const EXAMPLES = `Examples: toolkeep policy explain 'git push origin main', toolkeep policy explain --tool write '{"path":"src/a.ts"}'`;

function invalid(message: string, hint = EXAMPLES): CommandError {
  return usageError(message, hint);
}
