import { isObject, type JsonObject, own, ownText } from "../document/json-object.ts";
import type { Operation } from "../document/list-operations.ts";
import { resolveReference } from "../document/resolve-reference.ts";
import { quoted, Unreadable } from "../document/unreadable.ts";
import type { Style, ValueStyle } from "./serialize-value.ts";

/** The body of an operation, as a request needs it. */
export interface BodyPart {
  readonly kind: "json" | "form" | "text";
  readonly contentType: string;
  readonly isRequired: boolean;
  readonly schema: unknown;
  readonly description?: string;
  /** How the fields of a form are serialized, if it is not the default way. */
  readonly fields: ReadonlyMap<string, ValueStyle>;
}

/** The first supported one is used. */
const KINDS: readonly (readonly [BodyPart["kind"], RegExp])[] = [
  ["json", /^application\/json\b/i],
  ["json", /^[\w.+-]+\/[\w.+-]*\+json\b/i],
  ["form", /^application\/x-www-form-urlencoded\b/i],
  ["text", /^text\/[\w.+-]+/i],
  ["json", /^\*\/\*$/],
];
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w-]+=[\w.+-]+)*$/;

/** The body of an operation, if it expects one. @throws Unreadable for an unsupported one: files, and multipart. */
export function readBody(operation: Operation, document: JsonObject): BodyPart | undefined {
  const given = own(operation.definition, "requestBody");
  if (given === undefined) return undefined;
  const body = resolveReference(given, document);
  const content = own(body, "content");
  const media = isObject(content) ? Object.entries(content) : [];
  if (media.length === 0) return undefined;
  for (const [kind, pattern] of KINDS) {
    const found = media.find(([type]) => pattern.test(type));
    if (found !== undefined) return bodyOf(kind, body, found);
  }
  const types = media.map(([type]) => type).join(", ");
  throw new Unreadable(`it sends ${quoted(types)}; files and multipart bodies are not supported`);
}

function bodyOf(kind: BodyPart["kind"], body: JsonObject, [type, media]: [string, unknown]): BodyPart {
  const description = ownText(body, "description");
  const encoding = own(media, "encoding");
  return {
    kind,
    contentType: MEDIA_TYPE.test(type) ? type : "application/json",
    isRequired: own(body, "required") === true,
    schema: own(media, "schema") ?? {},
    fields: new Map(
      isObject(encoding) ? Object.entries(encoding).map(([name, how]) => fieldOf(name, how)) : [],
    ),
    ...(description === undefined ? {} : { description }),
  };
}

const STYLES: ReadonlySet<string> = new Set<Style>(["form", "spaceDelimited", "pipeDelimited", "deepObject"]);

function fieldOf(name: string, how: unknown): [string, ValueStyle] {
  const declared = ownText(how, "style") ?? "form";
  const style = (STYLES.has(declared) ? declared : "form") as Style;
  const explode = own(how, "explode");
  return [name, { name, style, explode: typeof explode === "boolean" ? explode : style === "form" }];
}
