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
  readonly type?: "object" | "array" | "string";
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
  return errorsAt(root, value, "");

  function errorsAt(schema: EntrySchema, given: unknown, at: string): readonly EntryError[] {
    const { $ref, anyOf, type } = schema;
    const error = (message: string): EntryError => ({ at, message });
    if ($ref !== undefined) {
      const found = errorsAt(definitionOf($ref), given, at);
      const said = found.length > 0 || typeof given !== "string" ? undefined : check($ref, given);
      return said === undefined ? found : [error(said)];
    }
    if (anyOf !== undefined) {
      const fitting = anyOf.find((one) => resolved(one).type === kindOf(given)) ?? anyOf[0] ?? {};
      return errorsAt(fitting, given, at);
    }
    if (type !== undefined && kindOf(given) !== type) return [error(`It must be ${NAMES[type]}.`)];
    if (schema.enum?.includes(given) === false)
      return [error(`It must be one of ${schema.enum.join(", ")}.`)];
    if (typeof given === "string") return textMessages(schema, given).map(error);
    if (Array.isArray(given)) {
      const parts = given.flatMap((part, index) => {
        const inner = schema.prefixItems?.[index] ?? schema.items;
        return inner === undefined ? [] : errorsAt(inner, part, `${at}[${index}]`);
      });
      return [...countMessages(schema, given.length).map(error), ...parts];
    }
    return kindOf(given) === "object" ? fieldErrors(schema, given as Record<string, unknown>, at) : [];
  }

  function fieldErrors(
    { properties = {}, required = [], additionalProperties }: EntrySchema,
    given: Readonly<Record<string, unknown>>,
    at: string,
  ): readonly EntryError[] {
    const missing = required.filter((name) => !Object.hasOwn(given, name));
    const fields = Object.entries(given).flatMap(([name, value]): readonly EntryError[] => {
      const inner = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      const there = at === "" ? name : `${at}.${name}`;
      if (inner === false) return [{ at: there, message: "There is no such field." }];
      return inner === undefined ? [] : errorsAt(inner, value, there);
    });
    return [...missing.map((name) => ({ at, message: `\`${name}\` is missing.` })), ...fields];
  }

  function resolved(schema: EntrySchema): EntrySchema {
    return schema.$ref === undefined ? schema : definitionOf(schema.$ref);
  }

  function definitionOf(reference: string): EntrySchema {
    return root.$defs?.[reference.replace("#/$defs/", "")] ?? {};
  }
}

const NAMES = { object: "an object", array: "a list", string: "a text" } as const;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function textMessages({ pattern, minLength = 0 }: EntrySchema, text: string): readonly string[] {
  if (text.length < minLength) return [`It must have at least ${minLength} characters.`];
  return pattern === undefined || new RegExp(pattern, "u").test(text)
    ? []
    : [`${JSON.stringify(text)} does not match ${pattern}.`];
}

function countMessages({ minItems = 0, maxItems }: EntrySchema, count: number): readonly string[] {
  if (count < minItems) return [`There must be at least ${minItems}, and there are ${count}.`];
  return maxItems !== undefined && count > maxItems ? [`There must be at most ${maxItems}.`] : [];
}
