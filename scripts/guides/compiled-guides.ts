import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type ReadGuide, readGuide, readKit } from "../../packages/node/src/project/guides/read-guide.ts";

/** The text of `compiled-guides.json`: the tool guides and kits that are YAML files in two folders of a package. */
export function compiledGuides(folder: string): string {
  const guides = valuesIn(join(folder, "guides"), readGuide, ({ tool }) => tool);
  const kits = valuesIn(join(folder, "kits"), readKit, ({ name }) => name);
  return `${JSON.stringify({ guides, kits }, undefined, 1)}\n`;
}

/** @throws Error for a file that is wrong, or is not named after what it describes. */
function valuesIn<Value>(
  folder: string,
  read: (text: string, file: string) => ReadGuide<Value>,
  nameOf: (value: Value) => string,
): readonly Value[] {
  return globSync("*.yaml", { cwd: folder })
    .toSorted()
    .map((file) => {
      const { value, errors } = read(readFileSync(join(folder, file), "utf8"), file);
      if (value === undefined) throw new Error(`${file}:${errors[0]?.line ?? 1}: ${errors[0]?.message}`);
      if (nameOf(value) !== basename(file, ".yaml")) throw new Error(`${file} describes ${nameOf(value)}.`);
      return value;
    });
}
