import { isRecord } from "./is-record.ts";
import type { ServerEntry } from "./server-entry.ts";

/** An entry, or why there is none. Neither: somebody switched the server off. */
export type ParsedEntry =
  | { readonly entry: ServerEntry }
  | { readonly error: string; readonly hint: string }
  | { readonly isOff: true };

export interface EntryOrigin {
  readonly name: string;
  readonly file: string;
  readonly isOfProject: boolean;
}

const MOST_WORDS = 1_000;

/** Reads one server as clients write it: `command`, `args`, `env`, `cwd`, or `url` and `headers`. */
export function parseEntry(
  written: unknown,
  { name: writtenName, file, isOfProject }: EntryOrigin,
): ParsedEntry {
  const origin = { name: cleanName(writtenName), file, isOfProject };
  if (origin.name === "") return error("its name has no letter or digit", "Give it another name.");
  if (!isRecord(written)) return error("it is not written as `{ … }`", "Write `command`, or `url`.");
  if (written["disabled"] === true || written["enabled"] === false) return { isOff: true };
  const unsupported = UNSUPPORTED.find(([key]) => written[key] !== undefined);
  if (unsupported !== undefined) return error(`\`${unsupported[0]}\` is not supported`, unsupported[1]);
  const type =
    written["type"] ?? written["transport"] ?? (written["command"] === undefined ? "http" : "stdio");
  if (type === "stdio") return stdioEntry(written, origin);
  if (type === "http" || type === "streamable-http" || type === "streamableHttp")
    return httpEntry(written, origin);
  if (type === "sse") {
    return error(
      "the transport HTTP+SSE is deprecated and not supported",
      'Use the streamable HTTP address of the server, with `"type": "http"`.',
    );
  }
  return error(`nobody knows the type ${JSON.stringify(String(type))}`, 'Write "stdio" or "http".');
}

/** What changes how a server is started, and would be missing silently. */
const UNSUPPORTED: readonly (readonly [string, string])[] = [
  ["envFile", `Name the values under \`env\`, as \`\${NAME}\`.`],
  ["headersHelper", `Name the headers under \`headers\`, with \`\${NAME}\` for what is secret.`],
];

/** Letters, digits, `_` and `-`: what names of tools and rules are made of. */
export function cleanName(name: string): string {
  return name
    .normalize("NFKC")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replaceAll(/^-+|(?<!-)-+$/g, "")
    .slice(0, 64);
}

function stdioEntry(written: Record<string, unknown>, origin: EntryOrigin): ParsedEntry {
  const { command, args = [], env = {}, cwd } = written;
  if (typeof command !== "string" || command.trim() === "") {
    return error("`command` is not the name of a program", "Write it as a text.");
  }
  if (!isTexts(args)) return error("`args` is not a list of texts", "Write each word as a text of its own.");
  const values = textValues(env);
  if (values === undefined) return error("`env` is not made of texts", "Write each value as a text.");
  if (cwd !== undefined && typeof cwd !== "string")
    return error("`cwd` is not a path", "Write it as a text.");
  return {
    entry: { kind: "stdio", ...origin, command, args, env: values, ...(cwd === undefined ? {} : { cwd }) },
  };
}

function httpEntry(written: Record<string, unknown>, origin: EntryOrigin): ParsedEntry {
  const url = written["url"] ?? written["httpUrl"] ?? written["serverUrl"];
  const headers = textValues(written["headers"] ?? {});
  if (typeof url !== "string" || url === "") {
    return error("it has neither `command` nor `url`", "Say how it is started or reached.");
  }
  if (headers === undefined) return error("`headers` is not made of texts", "Write each value as a text.");
  return { entry: { kind: "http", ...origin, url, headers } };
}

function error(message: string, hint: string): ParsedEntry {
  return { error: message, hint };
}

function isTexts(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) && value.length <= MOST_WORDS && value.every((word) => typeof word === "string")
  );
}

/** Numbers and flags are texts to a program; clients take them, and so do we. */
function textValues(value: unknown): Record<string, string> | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).filter(([, one]) => one !== null);
  if (entries.length > MOST_WORDS || entries.some(([, one]) => typeof one === "object")) return undefined;
  return Object.fromEntries(entries.map(([key, one]) => [key, String(one)]));
}
