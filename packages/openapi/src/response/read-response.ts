import type { NetworkResponse } from "@toolkeep/core/ports";
import { SHOWN_HEADERS } from "./shown-headers.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** The result of a call, whatever the status. */
export interface OperationResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Missing if there is none. */
  readonly body?: unknown;
}

const LONGEST_HEADER = 2_000;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b|^text\/json\b/i;
const TEXT_TYPE =
  /^text\/|^application\/(?:xml|javascript|yaml|toml|x-ndjson|x-www-form-urlencoded|graphql)\b|\+(?:xml|yaml)\b/i;

type Clean = (text: string) => string;

/** The answer as data for a model: JSON as it is, text as text, anything else by its type and size. */
export async function readResponse(
  response: NetworkResponse,
  secrets: readonly string[],
): Promise<OperationResult> {
  const clean = withoutSecrets(secrets);
  const headers = SHOWN_HEADERS.flatMap((name) => {
    const value = response.headers[name];
    return value === undefined ? [] : [[name, clean(value).slice(0, LONGEST_HEADER)] as const];
  });
  const bytes = await bytesOf(response.body);
  const base = { status: response.status, headers: Object.fromEntries(headers) };
  return bytes.byteLength === 0
    ? base
    : { ...base, body: bodyOf(bytes, response.headers["content-type"], clean) };
}

function bodyOf(bytes: Uint8Array, contentType = "", clean: Clean): unknown {
  const isJson = JSON_TYPE.test(contentType);
  const text =
    isJson || TEXT_TYPE.test(contentType) || contentType === "" ? decoded(bytes, contentType) : undefined;
  if (text === undefined)
    return { not_shown: "not text", content_type: contentType.slice(0, 200), bytes: bytes.byteLength };
  if ((!isJson && contentType !== "") || hasTooManyValues(text)) return clean(text);
  try {
    // String by string: replacing something in the JSON text itself could break it.
    return JSON.parse(text, (_, value: unknown) => cleaned(value, clean));
  } catch {
    return clean(text);
  }
}

/** Every value of JSON costs time in later steps, and so many are useless to a model. */
const MOST_VALUES = 50_000;
/** Each starts a value, or separates two. */
const BETWEEN = new Set([..."[{,:"].map((char) => char.charCodeAt(0)));

function hasTooManyValues(text: string): boolean {
  let values = 0;
  for (let at = 0; at < text.length && values <= MOST_VALUES; at += 1)
    if (BETWEEN.has(text.charCodeAt(at))) values += 1;
  return values > MOST_VALUES;
}

function cleaned(value: unknown, clean: Clean): unknown {
  if (typeof value === "string") return clean(value);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value);
  const renamed = entries.map(([key, inner]) => [clean(key), inner] as const);
  return renamed.some(([key], index) => key !== entries[index]?.[0]) ? Object.fromEntries(renamed) : value;
}

/** The text, if it is text: content with zero bytes is not, whatever its type. */
function decoded(bytes: Uint8Array, contentType: string): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1] ?? "utf-8";
  let text: string;
  try {
    text = new TextDecoder(charset).decode(bytes);
  } catch {
    text = new TextDecoder().decode(bytes);
  }
  return text.includes("\0") ? undefined : text;
}

async function bytesOf(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const pieces = await Array.fromAsync(body as AsyncIterable<Uint8Array>);
  const bytes = new Uint8Array(pieces.reduce((size, piece) => size + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}
