import { ToolFailure } from "@toolkeep/core";
import { isObject } from "../document/json-object.ts";
import type { ServerAddress } from "../document/server-address.ts";
import { quoted } from "../document/unreadable.ts";
import { encodeText, scalarText } from "./encode-text.ts";
import { fillTemplate } from "./path-template.ts";
import type { BodyPart } from "./read-body.ts";
import type { Parameter, ParameterLocation } from "./read-parameters.ts";
import type { RequestPlan } from "./request-plan.ts";
import { type Pair, serializePairs, serializePart } from "./serialize-value.ts";

export type CallArguments = Readonly<Record<string, unknown>>;

/** The request, without the credentials. */
export interface BuiltRequest {
  readonly query: readonly Pair[];
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly Pair[];
  readonly body?: string;
}

/** The characters allowed in a header: one line, one byte for each character. */
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;
const LONGEST_PATH = 6_000;

/** The path of a call, always beneath its server's. @throws ToolFailure `invalid_arguments` if it would lead elsewhere. */
export function requestPath(plan: RequestPlan, args: CallArguments, server: ServerAddress): string {
  const values = new Map<string, string>();
  for (const [parameter, value] of given(plan, args, "path"))
    values.set(parameter.name, serializePart(jsonOr(parameter, value), parameter));
  const path = `${server.path}${fillTemplate(plan.template, values)}`;
  if (path.length > LONGEST_PATH) throw invalid("The path is too long.");
  // The URL parser of the network decides where it leads.
  const read = new URL(`${server.origin}${path}`);
  if (read.origin !== server.origin || read.pathname !== path || read.search !== "" || read.hash !== "")
    throw invalid("The arguments would lead to another path than the operation's.");
  return path;
}

/** @throws ToolFailure `invalid_arguments` for values that a request cannot contain. */
export function buildRequest(plan: RequestPlan, args: CallArguments): BuiltRequest {
  const { body } = plan;
  const content = body === undefined ? undefined : args[body.argument];
  const sent = body === undefined || content === undefined ? undefined : body.part;
  const headers = given(plan, args, "header").map(([parameter, value]) => headerOf(parameter, value));
  return {
    query: given(plan, args, "query").flatMap(([parameter, value]) =>
      serializePairs(jsonOr(parameter, value), parameter),
    ),
    headers: {
      ...Object.fromEntries(headers),
      ...(sent === undefined ? {} : { "content-type": sent.contentType }),
    },
    cookies: given(plan, args, "cookie").flatMap(([parameter, value]) =>
      serializePairs(jsonOr(parameter, value), parameter),
    ),
    ...(sent === undefined ? {} : { body: bodyText(sent, content) }),
  };
}

/** The arguments for one location. Models pass `null` for nothing. */
function given(plan: RequestPlan, args: CallArguments, location: ParameterLocation): [Parameter, unknown][] {
  return [...plan.parameters].flatMap(([argument, parameter]): [Parameter, unknown][] => {
    const value = Object.hasOwn(args, argument) ? args[argument] : undefined;
    return parameter.location !== location || value === undefined || value === null
      ? []
      : [[parameter, value]];
  });
}

function jsonOr(parameter: Parameter, value: unknown): unknown {
  return parameter.isJson ? JSON.stringify(value) : value;
}

function headerOf(parameter: Parameter, value: unknown): [string, string] {
  const text = serializePart(jsonOr(parameter, value), parameter, (plain) => plain);
  if (!HEADER_VALUE.test(text))
    throw invalid(
      `The argument ${quoted(parameter.name)} contains a line break, or another character that is not allowed in a header.`,
    );
  return [parameter.name.toLowerCase(), text.trim()];
}

function bodyText({ kind, fields }: BodyPart, content: unknown): string {
  if (kind === "json") return JSON.stringify(content);
  if (kind === "text") return scalarText(content);
  if (!isObject(content)) throw invalid("A form must be an object with its fields by name.");
  const pairs = Object.entries(content)
    .filter(([, value]) => value !== undefined && value !== null)
    .flatMap(([name, value]) => {
      const usual = { name, style: "form", explode: Array.isArray(value) } as const;
      const declared = fields.get(name);
      // A field that is an object is sent under its own name, as JSON, unless the document says how.
      const plain = declared === undefined && isObject(value) ? JSON.stringify(value) : value;
      return serializePairs(plain, declared ?? usual);
    });
  return joinPairs(pairs);
}

export function joinPairs(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${name}=${value}`).join("&");
}

export function cookieHeader(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${name}=${value}`).join("; ");
}

export function encodedPair(name: string, value: string): Pair {
  return [encodeText(name), encodeText(value)];
}

function invalid(message: string): ToolFailure {
  return new ToolFailure("invalid_arguments", message);
}
