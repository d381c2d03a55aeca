import { type JsonObject, own, ownText } from "../document/json-object.ts";
import { quoted, Unreadable } from "../document/unreadable.ts";
import { OVERRIDING_HEADERS, OWN_HEADERS } from "./reserved-headers.ts";
import type { Style, ValueStyle } from "./serialize-value.ts";

export type ParameterLocation = "path" | "query" | "header" | "cookie";

/** One parameter of an operation, as a request needs it. */
export interface Parameter extends ValueStyle {
  readonly location: ParameterLocation;
  readonly isRequired: boolean;
  /** Sent as JSON. */
  readonly isJson: boolean;
  readonly schema: unknown;
  readonly description?: string;
}

const STYLES: Readonly<Record<ParameterLocation, readonly Style[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,256}$/;
const COOKIE_NAME = /^[\w!#$%&'*+.^`|~-]{1,256}$/;

/** The parameters that a model fills in, without credentials. @throws Unreadable for one that cannot be sent. */
export function readParameters(
  given: readonly JsonObject[],
  isCredential: (location: string, name: string) => boolean,
): readonly Parameter[] {
  return given.flatMap((one) => {
    const parameter = readParameter(one);
    if (isCredential(parameter.location, parameter.name)) return [];
    if (parameter.location === "header" && isOurs(parameter.name)) return [];
    return [parameter];
  });
}

/** Servers that treat underscores as hyphens must not see a reserved name. */
function isOurs(name: string): boolean {
  const usual = name.replaceAll("_", "-");
  return OWN_HEADERS.test(usual) || OVERRIDING_HEADERS.some((names) => names.test(usual));
}

function readParameter(given: JsonObject): Parameter {
  const name = ownText(given, "name");
  const location = ownText(given, "in") as ParameterLocation | undefined;
  if (name === undefined || name === "") throw new Unreadable("a parameter has no name");
  if (location === undefined || !Object.hasOwn(STYLES, location))
    throw new Unreadable(`its parameter ${quoted(name)} has an unknown location`);
  if (location === "header" && !HEADER_NAME.test(name)) throw unsendable(name, "is not a valid header name");
  if (location === "cookie" && !COOKIE_NAME.test(name)) throw unsendable(name, "is not a valid cookie name");
  const style = (ownText(given, "style") ?? STYLES[location][0]) as Style;
  if (!STYLES[location].includes(style)) throw unsendable(name, `has the unknown style ${quoted(style)}`);
  const explode = own(given, "explode");
  const description = ownText(given, "description");
  return {
    name,
    location,
    style,
    explode: typeof explode === "boolean" ? explode : style === "form" || style === "deepObject",
    allowReserved: own(given, "allowReserved") === true,
    isRequired: location === "path" || own(given, "required") === true,
    ...schemaOf(given, name),
    ...(description === undefined ? {} : { description }),
  };
}

/** A parameter is described by a schema, or by one type of content. */
function schemaOf(given: JsonObject, name: string): Pick<Parameter, "schema" | "isJson"> {
  const content = own(given, "content");
  if (content === undefined) return { schema: own(given, "schema") ?? {}, isJson: false };
  const [type, media] = Object.entries(content as JsonObject)[0] ?? [];
  if (type === undefined || !/[/+]json\b/.test(type))
    throw unsendable(name, `is written as ${quoted(type ?? "nothing")}, which is not supported`);
  return { schema: own(media, "schema") ?? {}, isJson: true };
}

function unsendable(name: string, error: string): Unreadable {
  return new Unreadable(`its parameter ${quoted(name)} ${error}`);
}
