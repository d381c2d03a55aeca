import { ToolFailure } from "@toolkeep/core";

/** What `encodeURIComponent` leaves, and servers or rules might read something into. */
const LEFT = /[!'()*]/g;

/**
 * A text as one piece of an address: nothing in it can end the piece.
 * @throws ToolFailure `invalid_arguments` for half a character.
 */
export function encodeText(text: string): string {
  if (!text.isWellFormed()) throw new ToolFailure("invalid_arguments", "A text holds half a character.");
  return encodeURIComponent(text).replaceAll(
    LEFT,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Those reserved characters that cannot end a value of a query, nor begin another one. */
const HARMLESS = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C)/g;

/** For parameters with `allowReserved`. `#`, `&`, `=`, `+`, `;` and brackets are encoded all the same. */
export function encodeReserved(text: string): string {
  return encodeText(text).replaceAll(HARMLESS, (code) => decodeURIComponent(code));
}

/** A value in one text; what is no scalar, as JSON. */
export function scalarText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
