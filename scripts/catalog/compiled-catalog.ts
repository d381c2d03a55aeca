import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withOtherQuotes } from "../../packages/catalog/src/other-quotes.ts";

interface Entry {
  readonly program: string;
  readonly aliases?: string;
}

/** The text of `compiled-schema.json`: the schema without what it says to people. */
export function compiledSchema(file: string): string {
  const schema: unknown = JSON.parse(readFileSync(file, "utf8"), (name, value: unknown) =>
    name === "description" ? undefined : value,
  );
  return `${JSON.stringify(schema, undefined, 1)}\n`;
}

/** The text of `compiled.json` for the entries in a folder. */
export function compiledCatalog(folder: string): string {
  const programs: Record<string, string> = {};
  const names: Record<string, string> = {};
  const patterns: [string, string][] = [];
  for (const file of globSync("*.json", { cwd: folder }).toSorted()) {
    const { $schema, source, examples, ...entry } = JSON.parse(
      readFileSync(join(folder, file), "utf8"),
    ) as Entry & Record<string, unknown>;
    const { program, aliases = "" } = entry;
    if (`${program}.json` !== file) throw new Error(`${file} describes ${program}.`);
    programs[program] = withOtherQuotes(JSON.stringify(entry));
    for (const name of [program, ...aliases.split(" ").filter((one) => one !== "")])
      if (name.includes("*")) patterns.push([name, program]);
      else if (names[name] === undefined) names[name] = program;
      else throw new Error(`${name} is a name of ${names[name]} and of ${program}.`);
  }
  const others = Object.fromEntries(Object.entries(names).filter(([name, program]) => name !== program));
  return `${JSON.stringify({ names: others, patterns, programs }, undefined, 1)}\n`;
}

/** What of a description serves people and tests. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(["$schema", "source", "listed", "notes", "asks", "examples"]);

/** The text of `compiled-servers.json` for the descriptions in a folder. */
export function compiledServers(folder: string): string {
  const servers: Record<string, string> = {};
  const sources: Record<string, string> = {};
  for (const file of globSync("*.json", { cwd: folder }).toSorted()) {
    const described = JSON.parse(readFileSync(join(folder, file), "utf8")) as Description;
    const { server, packages } = described;
    if (`${server}.json` !== file) throw new Error(`${file} describes ${server}.`);
    const needed = Object.entries(described).filter(([field]) => !FOR_PEOPLE.has(field));
    servers[server] = JSON.stringify(Object.fromEntries(needed));
    for (const source of packages)
      if (sources[source] === undefined) sources[source] = server;
      else throw new Error(`${source} is a package of ${sources[source]} and of ${server}.`);
  }
  return `${JSON.stringify({ sources, servers }, undefined, 1)}\n`;
}

interface Description extends Readonly<Record<string, unknown>> {
  readonly server: string;
  readonly packages: readonly string[];
}
