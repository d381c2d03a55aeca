/** Something in an entry that is not as it must be. */
export interface EntryError {
  /** Where it is: `commands.get.does`; empty for the whole entry. */
  readonly at: string;
  readonly message: string;
}

/** The part of JSON Schema that `program.schema.json` uses. */
export interface EntrySchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, EntrySchema>>;
  readonly anyOf?: readonly EntrySchema[];
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: EntrySchema;
  readonly prefixItems?: readonly EntrySchema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, EntrySchema>>;
  readonly additionalProperties?: false | EntrySchema;
}

/** Says what is wrong with a text of one of the schema's definitions beyond its pattern. */
export type TextCheck = (definition: string, text: string) => string | undefined;

/** What of a value is not as the schema says. */
export function schemaErrors(root: EntrySchema, value: unknown, check: TextCheck): readonly EntryError[] {
  const resolved = (schema: EntrySchema) =>
    root.$defs?.[schema.$ref?.replace("#/$defs/", "") ?? ""] ?? schema;
  const errorsAt = (schema: EntrySchema | false, given: unknown, at: string): readonly EntryError[] => {
    if (schema === false) return [{ at, message: "There is no such field." }];
    const meant = resolved(schema);
    const fitting = meant.anyOf?.find((one) => resolved(one).type === typeof given) ?? meant.anyOf?.[0];
    if (fitting !== undefined) return errorsAt(fitting, given, at);
    const isText = typeof given === "string" && schema.$ref !== undefined;
    const message = messageOf(meant, given) ?? (isText ? check(schema.$ref, given) : undefined);
    if (message !== undefined) return [{ at, message }];
    return partsOf(meant, given, at).flatMap((part) => errorsAt(...part));
  };
  return errorsAt(root, value, "");
}

function partsOf(
  { items = {}, prefixItems = [], properties = {}, additionalProperties = {} }: EntrySchema,
  given: unknown,
  at: string,
): readonly (readonly [EntrySchema | false, unknown, string])[] {
  if (Array.isArray(given))
    return given.map((part, index) => [prefixItems[index] ?? items, part, `${at}[${index}]`]);
  if (typeof given !== "object" || given === null) return [];
  return Object.entries(given).map(([name, part]) => [
    Object.hasOwn(properties, name) ? (properties[name] ?? {}) : additionalProperties,
    part,
    at === "" ? name : `${at}.${name}`,
  ]);
}

function messageOf(schema: EntrySchema, given: unknown): string | undefined {
  const { type, pattern = "", minLength = 0, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  const kind = Array.isArray(given) ? "array" : given === null ? "null" : typeof given;
  if (type !== undefined && type !== kind) return `It must be of the type ${type}.`;
  if (schema.enum?.includes(given) === false) return `It must be one of ${schema.enum.join(", ")}.`;
  if (typeof given === "string" && given.length < minLength)
    return `It must have at least ${minLength} characters.`;
  if (typeof given === "string" && !new RegExp(pattern, "u").test(given))
    return `${JSON.stringify(given)} does not match ${pattern}.`;
  if (Array.isArray(given) && (given.length < minItems || given.length > maxItems))
    return given.length < minItems
      ? `It must have at least ${minItems}.`
      : `It must have at most ${maxItems}.`;
  const missing =
    kind === "object" ? schema.required?.find((name) => !Object.hasOwn(given as object, name)) : undefined;
  return missing === undefined ? undefined : `\`${missing}\` is missing.`;
}
