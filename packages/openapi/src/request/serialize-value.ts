import { isObject } from "../document/json-object.ts";
import { encodeReserved, encodeText, scalarText } from "./encode-text.ts";

/** How a value is serialized. */
export interface ValueStyle {
  readonly name: string;
  readonly style: Style;
  readonly explode: boolean;
  readonly allowReserved?: boolean;
}

export type Style =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject";

type Encode = (text: string) => string;

/** A value in a path, or (with an identity `encode`) in a header. */
export function serializePart(value: unknown, style: ValueStyle, encode: Encode = encodeText): string {
  const { style: how, explode } = style;
  const write = (inner: unknown) => encode(scalarText(inner));
  const name = encode(style.name);
  if (!Array.isArray(value) && !isObject(value)) {
    const text = write(value);
    if (how === "matrix") return text === "" ? `;${name}` : `;${name}=${text}`;
    return how === "label" ? `.${text}` : text;
  }
  const pieces = Array.isArray(value)
    ? value.map(write)
    : Object.entries(value).map(([key, inner]) => `${encode(key)}${explode ? "=" : ","}${write(inner)}`);
  if (how === "label") return `.${pieces.join(explode ? "." : ",")}`;
  if (how !== "matrix") return pieces.join(",");
  if (!explode) return `;${name}=${pieces.join(",")}`;
  return pieces.map((piece) => (Array.isArray(value) ? `;${name}=${piece}` : `;${piece}`)).join("");
}

/** One pair of a query or a form, encoded. */
export type Pair = readonly [name: string, value: string];

const SEPARATORS: { readonly [style in Style]?: string } = {
  form: ",",
  spaceDelimited: "%20",
  pipeDelimited: "%7C",
};

/** A value in a query or a form, as pairs. An empty list has none. */
export function serializePairs(value: unknown, style: ValueStyle): readonly Pair[] {
  const { style: how, explode } = style;
  const encode = style.allowReserved === true ? encodeReserved : encodeText;
  const write = (inner: unknown) => encode(scalarText(inner));
  const name = encodeText(style.name);
  const separator = SEPARATORS[how] ?? ",";
  if (how === "deepObject" && typeof value === "object" && value !== null)
    return deepPairs(name, value, write);
  if (Array.isArray(value)) {
    if (value.length === 0) return [];
    return explode ? value.map((inner) => [name, write(inner)]) : [[name, value.map(write).join(separator)]];
  }
  if (!isObject(value)) return [[name, write(value)]];
  const entries = Object.entries(value);
  if (explode) return entries.map(([key, inner]) => [encodeText(key), write(inner)]);
  const flat = entries.flatMap(([key, inner]) => [encodeText(key), write(inner)]);
  return flat.length === 0 ? [] : [[name, flat.join(separator)]];
}

/** `a[b][c]=d`; the entries of a list are numbered. */
function deepPairs(name: string, value: object, write: (inner: unknown) => string): readonly Pair[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]): readonly Pair[] => {
    const deeper = `${name}%5B${encodeText(key)}%5D`;
    if (typeof inner === "object" && inner !== null) return deepPairs(deeper, inner, write);
    return [[deeper, write(inner)]];
  });
}
