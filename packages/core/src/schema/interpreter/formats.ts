import { fullFormats } from "ajv-formats/dist/formats.js";

type Format = (typeof fullFormats)[keyof typeof fullFormats];

/** Whether data is of a format. Formats that are not known, and those of other types than the data, always hold. */
export function isOfFormat(data: unknown, name: string): boolean {
  if (name === "url") return typeof data !== "string" || URL.canParse(data);
  if (!Object.hasOwn(fullFormats, name)) return true;
  const format = fullFormats[name as keyof typeof fullFormats] as Format;
  if (typeof format === "boolean" || typeof format === "string") return true;
  if (format instanceof RegExp) return typeof data !== "string" || format.test(data);
  if (typeof format === "function") return typeof data !== "string" || Boolean(format(data));
  return holds(data, format);
}

/** A format with a type of its own, or with an order. */
function holds(data: unknown, format: object): boolean {
  const { type = "string", validate } = format as {
    readonly type?: "string" | "number";
    readonly validate: RegExp | ((data: never) => unknown) | string | boolean;
  };
  if (typeof data !== type) return true;
  if (validate instanceof RegExp) return validate.test(String(data));
  return typeof validate !== "function" || Boolean(validate(data as never));
}
