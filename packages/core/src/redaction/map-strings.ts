/** A copy with every string replaced, names included. What `isLeaf` says stays as it is, whatever is in it. */
export function mapStrings(
  value: unknown,
  replace: (text: string) => string,
  isLeaf: (value: object) => boolean = () => false,
): unknown {
  if (typeof value === "string") return replace(value);
  if (typeof value !== "object" || value === null || isLeaf(value)) return value;
  if (Array.isArray(value)) return value.map((inner) => mapStrings(inner, replace, isLeaf));
  const names = replaceNames(Object.keys(value), replace);
  return Object.fromEntries(
    Object.values(value).map((inner, index) => [names[index], mapStrings(inner, replace, isLeaf)]),
  );
}

/** Replaces the names of an object, and numbers those with the same mark: they would become one entry. */
export function replaceNames(names: readonly string[], replace: (name: string) => string): readonly string[] {
  const replaced = names.map(replace);
  if (replaced.every((name, index) => name === names[index])) return names;
  const taken = new Set(replaced.filter((name, index) => name === names[index]));
  const counts = new Map<string, number>();
  return replaced.map((name, index) => {
    if (name === names[index]) return name;
    let count = (counts.get(name) ?? 0) + 1;
    while (taken.has(numbered(name, count))) count += 1;
    counts.set(name, count);
    taken.add(numbered(name, count));
    return numbered(name, count);
  });
}

function numbered(name: string, count: number): string {
  return count === 1 ? name : `${name}#${count}`;
}
