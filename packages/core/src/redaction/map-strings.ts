/** A copy with every string replaced, names included. What `isLeaf` says stays as it is, whatever is in it. */
export function mapStrings(
  value: unknown,
  replace: (text: string) => string,
  isLeaf: (value: object) => boolean = () => false,
): unknown {
  if (typeof value === "string") return replace(value);
  if (typeof value !== "object" || value === null || isLeaf(value)) return value;
  if (Array.isArray(value)) return value.map((inner) => mapStrings(inner, replace, isLeaf));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [replace(key), mapStrings(inner, replace, isLeaf)]),
  );
}
