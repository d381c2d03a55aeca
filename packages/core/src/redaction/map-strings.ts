/**
 * A copy with every string replaced, names included. `replace` is told the name that a value stands under; of a list, the
 * string before it, which may be an option of a command. What `isLeaf` says stays as it is, whatever is in it.
 */
export function mapStrings(
  value: unknown,
  replace: (text: string, name?: string) => string,
  isLeaf: (value: object) => boolean = () => false,
): unknown {
  return mapped(value, { replace, isLeaf }, undefined);
}

interface Mapping {
  readonly replace: (text: string, name?: string) => string;
  readonly isLeaf: (value: object) => boolean;
}

function mapped(value: unknown, mapping: Mapping, name: string | undefined): unknown {
  if (typeof value === "string") return mapping.replace(value, name);
  if (typeof value !== "object" || value === null || mapping.isLeaf(value)) return value;
  if (Array.isArray(value))
    return value.map((inner, index) => mapped(inner, mapping, optionBefore(value, index) ?? name));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      mapping.replace(key),
      mapped(inner, mapping, nameOf(value, key)),
    ]),
  );
}

/** Of `["--password", "x"]`, the option. */
function optionBefore(list: readonly unknown[], index: number): string | undefined {
  const before: unknown = list[index - 1];
  return typeof before === "string" && before.startsWith("--") ? before : undefined;
}

/** Of `{ "name": "DB_PASSWORD", "value": "x" }`, the name that is a value. */
function nameOf(value: object, key: string): string {
  if (key !== "value") return key;
  const named: unknown = "name" in value ? value.name : "key" in value ? value.key : undefined;
  return typeof named === "string" ? named : key;
}
