import { isRecord } from "../../contract/values/is-record.ts";
import { attempt, descend, fail, type Keyword, type KeywordUse, merge } from "./evaluation.ts";

type Fields = Record<string, unknown>;

/** Keywords about objects. */
export const OBJECT_KEYWORDS: Readonly<Record<string, Keyword>> = {
  properties: forObjects((use, data) => {
    const schemas = use.value as Fields;
    if (!use.position.isTried) fillIn(schemas, data);
    for (const name of Object.keys(schemas)) {
      if (!Object.hasOwn(data, name)) continue;
      use.outcome.names.add(name);
      descend(use, schemas[name], { data: data[name], key: name });
    }
  }),
  patternProperties: forObjects((use, data) => {
    for (const [pattern, schema] of Object.entries(use.value as Fields)) {
      const matching = use.interpreter.pattern(pattern);
      for (const name of Object.keys(data).filter((one) => matching.test(one))) {
        use.outcome.names.add(name);
        descend(use, schema, { data: data[name], key: name });
      }
    }
  }),
  additionalProperties: forObjects((use, data) => {
    const patterns = Object.keys((use.schema["patternProperties"] ?? {}) as Fields).map((pattern) =>
      use.interpreter.pattern(pattern),
    );
    const known = (use.schema["properties"] ?? {}) as Fields;
    for (const name of Object.keys(data)) {
      if (Object.hasOwn(known, name) || patterns.some((pattern) => pattern.test(name))) continue;
      use.outcome.names.add(name);
      if (use.value === false) fail(use, "additionalProperties", { additionalProperty: name });
      else descend(use, use.value, { data: data[name], key: name });
    }
  }),
  required: forObjects((use, data) => {
    for (const name of use.value as readonly string[])
      if (!Object.hasOwn(data, name)) fail(use, "required", { missingProperty: name });
  }),
  propertyNames: forObjects((use, data) => {
    for (const name of Object.keys(data)) {
      const named = { ...use, position: { ...use.position, data: name } };
      if (attempt(named, use.value).errors.length > 0)
        fail(
          use,
          "propertyNames",
          { propertyName: name },
          `the property name ${JSON.stringify(name)} is invalid`,
        );
    }
  }),
  minProperties: forObjects((use, data) => {
    if (Object.keys(data).length < (use.value as number))
      fail(use, "minProperties", {}, `must NOT have fewer than ${String(use.value)} properties`);
  }),
  maxProperties: forObjects((use, data) => {
    if (Object.keys(data).length > (use.value as number))
      fail(use, "maxProperties", {}, `must NOT have more than ${String(use.value)} properties`);
  }),
  dependentRequired: forObjects((use, data) => {
    for (const [name, needed] of Object.entries(use.value as Fields)) needs(use, data, { name, needed });
  }),
  dependentSchemas: forObjects((use, data) => {
    for (const [name, schema] of Object.entries(use.value as Fields)) follows(use, data, { name, schema });
  }),
  dependencies: forObjects((use, data) => {
    for (const [name, given] of Object.entries(use.value as Fields)) {
      if (Array.isArray(given)) needs(use, data, { name, needed: given });
      else follows(use, data, { name, schema: given });
    }
  }),
};

/** To be applied after all others: it is about what they have not looked at. */
export const unevaluatedProperties: Keyword = forObjects((use, data) => {
  for (const name of Object.keys(data)) {
    if (use.outcome.names.has(name)) continue;
    use.outcome.names.add(name);
    if (use.value === false) fail(use, "unevaluatedProperties", { unevaluatedProperty: name });
    else descend(use, use.value, { data: data[name], key: name });
  }
});

function forObjects(keyword: (use: KeywordUse, data: Fields) => void): Keyword {
  return (use) => {
    const { data } = use.position;
    if (isRecord(data)) keyword(use, data);
  };
}

/** Defaults of properties that are missing. */
function fillIn(schemas: Fields, data: Fields): void {
  for (const [name, schema] of Object.entries(schemas)) {
    if (!isRecord(schema) || schema["default"] === undefined || Object.hasOwn(data, name)) continue;
    data[name] = structuredClone(schema["default"]);
  }
}

function needs(
  use: KeywordUse,
  data: Fields,
  { name, needed }: { readonly name: string; readonly needed: unknown },
): void {
  if (!Object.hasOwn(data, name)) return;
  for (const one of needed as readonly string[])
    if (!Object.hasOwn(data, one)) fail(use, "required", { missingProperty: one });
}

function follows(
  use: KeywordUse,
  data: Fields,
  { name, schema }: { readonly name: string; readonly schema: unknown },
): void {
  if (!Object.hasOwn(data, name)) return;
  const inner = use.interpreter.evaluate(schema, use.position);
  use.outcome.errors.push(...inner.errors);
  merge(use.outcome, inner);
}
