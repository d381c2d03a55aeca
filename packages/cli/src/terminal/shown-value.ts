import { createRedactor } from "@toolkeep/core";
import { replaceNames } from "@toolkeep/core/internal";
import { hiddenValue } from "./hidden-value.ts";

const secrets = createRedactor();
/** A setting of a tool under such a name may be a secret, whatever it looks like. */
const SECRET_NAME = /key|token|secret|passw|auth|credential|cookie|pin\b/i;

/** A value that may be shown: without what looks like a secret, or stands under a name for one. */
export function shownValue(name: string, value: unknown): unknown {
  if (typeof value === "string") return SECRET_NAME.test(name) ? hiddenValue(value) : secrets.redact(value);
  if (Array.isArray(value)) return value.map((one) => shownValue(name, one));
  if (typeof value !== "object" || value === null)
    return SECRET_NAME.test(name) && typeof value === "number" ? "…" : value;
  const names = replaceNames(Object.keys(value), secrets.redact);
  const entries = Object.entries(value).map(([key, inner], index) => [
    names[index],
    shownValue(SECRET_NAME.test(name) ? name : key, inner),
  ]);
  return Object.fromEntries(entries);
}
