import { isRecord } from "../../contract/values/is-record.ts";
import { canonicalJson } from "../../contract/values/json-text.ts";
import { attempt, descend, fail, type Keyword, type KeywordUse } from "./evaluation.ts";

type List = unknown[];

/** Keywords about lists. */
export const LIST_KEYWORDS: Readonly<Record<string, Keyword>> = {
  prefixItems: forLists((use, data) => {
    if (!use.interpreter.isOlder) inOrder(use, data, use.value as readonly unknown[]);
  }),
  items: forLists((use, data) => {
    const { value, interpreter, schema } = use;
    if (Array.isArray(value)) inOrder(use, data, value);
    else rest(use, data, interpreter.isOlder ? 0 : lengthOf(schema["prefixItems"]));
  }),
  additionalItems: forLists((use, data) => {
    const { items } = use.schema;
    if (use.interpreter.isOlder && Array.isArray(items)) rest(use, data, items.length);
  }),
  contains: forLists((use, data) => {
    const { schema, interpreter, position } = use;
    const least = interpreter.isOlder ? 1 : ((schema["minContains"] ?? 1) as number);
    const most = interpreter.isOlder ? undefined : (schema["maxContains"] as number | undefined);
    if (least === 0 && most === undefined) return;
    use.outcome.items = data.length;
    const found = data.filter(
      (item) => attempt({ ...use, position: { ...position, data: item } }, use.value).errors.length === 0,
    ).length;
    if (found < least || found > (most ?? Number.POSITIVE_INFINITY))
      fail(
        use,
        "contains",
        {},
        `must contain at least ${least}${most === undefined ? "" : ` and at most ${most}`} valid item(s)`,
      );
  }),
  minItems: forLists((use, data) => {
    if (data.length < (use.value as number))
      fail(use, "minItems", {}, `must NOT have fewer than ${String(use.value)} items`);
  }),
  maxItems: forLists((use, data) => {
    if (data.length > (use.value as number))
      fail(use, "maxItems", {}, `must NOT have more than ${String(use.value)} items`);
  }),
  uniqueItems: forLists((use, data) => {
    if (use.value === true && new Set(data.map(canonicalJson)).size < data.length)
      fail(use, "uniqueItems", {}, "must NOT have duplicate items");
  }),
};

/** To be applied after all others: it is about what they have not looked at. */
export const unevaluatedItems: Keyword = forLists((use, data) => {
  const from = use.outcome.items;
  if (from >= data.length) return;
  if (use.value === false) fail(use, "unevaluatedItems", {}, `must NOT have more than ${from} items`);
  else rest(use, data, from);
  use.outcome.items = data.length;
});

function forLists(keyword: (use: KeywordUse, data: List) => void): Keyword {
  return (use) => {
    const { data } = use.position;
    if (Array.isArray(data)) keyword(use, data);
  };
}

function inOrder(use: KeywordUse, data: List, schemas: readonly unknown[]): void {
  for (const [at, schema] of schemas.entries()) {
    const isMissing = at >= data.length;
    if (
      isMissing &&
      use.interpreter.isOlder &&
      !use.position.isTried &&
      isRecord(schema) &&
      "default" in schema
    )
      data[at] = structuredClone(schema["default"]);
    if (at < data.length) descend(use, schema, { data: data[at], key: at });
  }
  use.outcome.items = Math.max(use.outcome.items, Math.min(schemas.length, data.length));
}

function rest(use: KeywordUse, data: List, from: number): void {
  for (let at = from; at < data.length; at += 1) descend(use, use.value, { data: data[at], key: at });
  use.outcome.items = data.length;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
