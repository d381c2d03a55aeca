import { ToolFailure } from "@toolkeep/core";
import { isObject } from "../document/json-object.ts";
import type { Method } from "../document/list-operations.ts";
import { quoted } from "../document/unreadable.ts";
import type { CallArguments } from "./build-request.ts";
import type { RequestPlan } from "./request-plan.ts";

/** Names with which a request asks for another method, without what separates their words. */
const NAMES =
  /^(?:x?(?:http)?(?:method|verb)override|x?(?:http)?override(?:http)?(?:method|verb)|x(?:original|forwarded|request|requested)?(?:http)?(?:method|verb)(?:tunneling)?)$/;
/** The same after an underscore, for which some servers also take blanks, dots, hyphens and brackets. */
const MARKED_NAMES = /^(?:http|request|form)?(?:method|verb)$/;

/**
 * The methods that some servers would use instead of the operation's, because a field of the request says so: in its
 * query, form, JSON, cookies or headers, at any depth.
 * @throws ToolFailure `invalid_arguments` for one that does something else than the operation's own method.
 */
export function overridingMethods(
  { parameters, body }: RequestPlan,
  args: CallArguments,
  isSameKind: (method: string) => method is Method,
): readonly Method[] {
  const given = [...parameters].map(([argument, { name }]) => [name, args[argument]] as const);
  const content = body === undefined ? undefined : args[body.argument];
  return [...given, ["", content] as const]
    .flatMap(([name, value]) => valuesOf(name, value))
    .map(([name, value]) => {
      const method = String(value).trim().toUpperCase();
      if (isSameKind(method)) return method;
      throw new ToolFailure(
        "invalid_arguments",
        `The field ${quoted(name)} could make the server act with another method than the operation's.`,
        { hint: "Remove it, and call the operation that has the method." },
      );
    });
}

function valuesOf(name: string, value: unknown): readonly (readonly [name: string, value: unknown])[] {
  if (value === undefined || value === null) return [];
  // A form may write the fields within a field as `a[b]` or `a.b`.
  if ([name, ...name.split(/[.[\]]/)].some(isOverride))
    return (Array.isArray(value) ? value : [value]).map((one) => [name, one]);
  if (Array.isArray(value)) return value.flatMap((one) => valuesOf("", one));
  return isObject(value) ? Object.entries(value).flatMap(([key, one]) => valuesOf(key, one)) : [];
}

function isOverride(name: string): boolean {
  const lower = name.normalize("NFKC").toLowerCase();
  const letters = lower.replaceAll(/[^a-z0-9]/g, "");
  return NAMES.test(letters) || (/^[^a-z0-9]/.test(lower) && MARKED_NAMES.test(letters));
}
