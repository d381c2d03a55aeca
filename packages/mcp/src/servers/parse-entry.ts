import { isRecord } from "@toolkeep/core/internal";
import type { ServerEntry } from "./server-entry.ts";

/** An entry, or the error in it. Neither: the server is switched off. */
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

/** Parses one server as clients write it: `command`, `args`, `env`, `cwd`, or `url` and `headers`. */
export function parseEntry(
  written: unknown,
  { name: writtenName, file, isOfProject }: EntryOrigin,
): ParsedEntry {
  const origin = { name: cleanName(writtenName), file, isOfProject };
  if (origin.name === "") return error("its name has no letter or digit", "Give it another name.");
  if (!isRecord(written)) return error("it is not an object `{ … }`", "Write `command`, or `url`.");
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
  return error(`the type ${JSON.stringify(String(type))} is unknown`, 'Write "stdio" or "http".');
}

/** Keys that change how a server is started, and must not be ignored silently. */
const UNSUPPORTED: readonly (readonly [string, string])[] = [
  ["envFile", `List the values under \`env\`, as \`\${NAME}\`.`],
  ["headersHelper", `List the headers under \`headers\`, with \`\${NAME}\` for secrets.`],
];

/** Letters, digits, `_` and `-`: the characters of tool and rule names. */
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
    return error("`command` is not the name of a program", "Write it as a string.");
  }
  if (!isTexts(args))
    return error("`args` is not a list of strings", "Write each argument as its own string.");
  const values = textValues(env);
  if (values === undefined)
    return error("`env` has values that are not strings", "Write each value as a string.");
  if (cwd !== undefined && typeof cwd !== "string")
    return error("`cwd` is not a path", "Write it as a string.");
  return {
    entry: { kind: "stdio", ...origin, command, args, env: values, ...(cwd === undefined ? {} : { cwd }) },
  };
}

function httpEntry(written: Record<string, unknown>, origin: EntryOrigin): ParsedEntry {
  const url = written["url"] ?? written["httpUrl"] ?? written["serverUrl"];
  const headers = textValues(written["headers"] ?? {});
  if (typeof url !== "string" || url === "") {
    return error("it has neither `command` nor `url`", "Add one of them.");
  }
  if (headers === undefined)
    return error("`headers` has values that are not strings", "Write each value as a string.");
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

/** Numbers and flags become strings for a program; clients accept them, and so do we. */
function textValues(value: unknown): Record<string, string> | undefined {
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value).filter(([, one]) => one !== null);
  if (entries.length > MOST_WORDS || entries.some(([, one]) => typeof one === "object")) return undefined;
  return Object.fromEntries(entries.map(([key, one]) => [key, String(one)]));
}
