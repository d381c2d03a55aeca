/** A JSON object. Its keys are untrusted: look them up with `own`. */
export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of an own key, never an inherited one. */
export function own(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

export function ownText(value: unknown, key: string): string | undefined {
  const text = own(value, key);
  return typeof text === "string" ? text : undefined;
}

/** The objects in a list; none if the value is not a list. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The strings in a list; none if the value is not a list. */
export function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}
