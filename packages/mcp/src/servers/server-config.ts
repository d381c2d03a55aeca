import { resolve } from "node:path";
import { assertKnownKeys, invalidOption } from "@toolkeep/core/internal";
import type { ServerEntry, StdioServer } from "./server-entry.ts";

/**
 * How to start or reach one MCP server: a program on its standard streams, or an address for streamable HTTP. `${NAME}`
 * in a value is replaced by the environment variable; a missing variable is an error.
 */
export type McpServerConfig =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      /** Variables for the program in addition to PATH, HOME and the like. It gets no other variables of this process. */
      readonly env?: Readonly<Record<string, string>>;
      /**
       * The working directory. Default: a new, empty directory, because npx and the like prefer code that lies where they
       * start. A command or an argument that begins with `./` or `../`, or is `.`, is relative to the directory of this
       * process all the same.
       */
      readonly cwd?: string;
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> };

/** The entries of servers that code names. @throws ToolkeepError `invalid_option` for an invalid configuration. */
export function entriesOf(servers: Readonly<Record<string, McpServerConfig>>): readonly ServerEntry[] {
  return Object.entries(servers).map(([name, config]) => entryOf(name, config));
}

/** Whether a value is the configuration of a server, and not an object of options. */
export function isServerConfig(value: unknown): value is McpServerConfig {
  const { command, url } = (typeof value === "object" && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  return typeof command === "string" || typeof url === "string";
}

function entryOf(name: string, config: McpServerConfig): ServerEntry {
  const what = `option of the MCP server ${JSON.stringify(name)}:`;
  if (!isServerConfig(config))
    throw invalidOption(`The MCP server ${JSON.stringify(name)} needs a \`command\` or a \`url\`.`);
  if ("url" in config) {
    assertKnownKeys(config, ["url", "headers"], what);
    return { kind: "http", name, isOfProject: false, url: config.url, headers: config.headers ?? {} };
  }
  assertKnownKeys(config, ["command", "args", "env", "cwd"], what);
  const { command, args = [], env = {}, cwd } = config;
  return {
    kind: "stdio",
    name,
    isOfProject: false,
    ...(cwd === undefined ? fromHere(command, args) : { command, args, cwd: fromHereOf(cwd) }),
    env,
  };
}

/** The program starts elsewhere, so what is relative to this process is made absolute. */
function fromHere(command: string, args: readonly string[]): Pick<StdioServer, "command" | "args"> {
  return { command: fromHereOf(command), args: args.map(fromHereOf) };
}

const RELATIVE = /^\.\.?(?:[/\\]|$)/;

function fromHereOf(text: string): string {
  return RELATIVE.test(text) ? resolve(text) : text;
}
