import { ToolFailure } from "@toolkeep/core";

/** Characters that `encodeURIComponent` does not encode, but that servers or rules might interpret. */
const LEFT = /[!'()*]/g;

/** A text as one piece of an address, which nothing in it can end. @throws ToolFailure for a lone surrogate. */
export function encodeText(text: string): string {
  if (!text.isWellFormed()) throw new ToolFailure("invalid_arguments", "A text contains a lone surrogate.");
  return encodeURIComponent(text).replaceAll(
    LEFT,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The reserved characters that can neither end a query value nor begin another one. */
const HARMLESS = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C)/g;

/** For parameters with `allowReserved`. `#`, `&`, `=`, `+`, `;` and brackets are always encoded. */
export function encodeReserved(text: string): string {
  return encodeText(text).replaceAll(HARMLESS, (code) => decodeURIComponent(code));
}

/** A value as one text; what is not a scalar, as JSON. */
export function scalarText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
