import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compiledServers } from "../../../scripts/catalog/compiled-catalog.ts";
import { capabilityNamed } from "./capabilities.ts";
import { type EntrySchema, schemaErrors } from "./schema-errors.ts";
import { loadServers } from "./servers.ts";

const PACKAGE = join(import.meta.dirname, "..");
const FILES = globSync("*.json", { cwd: join(PACKAGE, "servers") }).toSorted();
const SCHEMA = readJson("server.schema.json") as EntrySchema;

/** Capabilities of tools that Toolkeep has itself, and of servers with rules of their own. */
const OTHER = /^(?:fs|net|git|github|memory|browser)\./;

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(PACKAGE, path), "utf8"));
}

function errorsIn(description: unknown) {
  return schemaErrors(SCHEMA, description, (definition, text) => {
    const [capability = ""] = text.split(" ");
    const isKnown = OTHER.test(capability) || capabilityNamed(capability) !== undefined;
    return definition !== "#/$defs/effect" || isKnown ? undefined : `There is no capability ${capability}.`;
  });
}

describe("the descriptions of servers", () => {
  it.each(FILES)("%s is valid, and describes no tool twice", (file) => {
    const description = readJson(`servers/${file}`) as {
      readonly tools: readonly { readonly takes: object }[];
      readonly asks?: object;
    };
    expect(errorsIn(description)).toEqual([]);
    const tools = [...description.tools.map(({ takes }) => takes), description.asks ?? {}].flatMap(
      Object.keys,
    );
    expect(tools.filter((tool, at) => tools.indexOf(tool) !== at)).toEqual([]);
  });

  it("are as the README shows one", () => {
    const readme = readFileSync(join(PACKAGE, "README.md"), "utf8");
    const shown = [...readme.matchAll(/```json\n([^`]*)```/g)].map(([, text = ""]) => text);
    expect(errorsIn(JSON.parse(shown.at(-1) ?? ""))).toEqual([]);
  });

  it.each(["source", "examples", "listed", "packages"])("are refused without `%s`", (field) => {
    const { [field]: _left, ...rest } = readJson("servers/fetch.json") as Record<string, unknown>;
    expect(errorsIn(rest)).toEqual([{ at: "", message: `\`${field}\` is missing.` }]);
  });

  it("are refused with a capability or an argument that cannot be meant", () => {
    const fetch = readJson("servers/fetch.json") as { readonly tools: readonly object[] };
    const withTool = (tool: object) => errorsIn({ ...fetch, tools: [{ ...fetch.tools[0], ...tool }] });
    expect(withTool({ does: ["cloud.frob *"] })[0]?.message).toBe("There is no capability cloud.frob.");
    expect(withTool({ takes: { fetch: "whole:url" } })[0]?.at).toBe("tools[0].takes.fetch");
  });

  it("are compiled as they are, and found by where the servers come from", async () => {
    const compiled = readFileSync(join(PACKAGE, "src/compiled-servers.json"), "utf8");
    expect(compiled).toBe(compiledServers(join(PACKAGE, "servers")));
    const servers = await loadServers();
    for (const name of servers.names)
      for (const source of servers.named(name)?.packages ?? []) expect(servers.nameFrom(source)).toBe(name);
    expect(servers.named("toString")).toBeUndefined();
    expect(servers.nameFrom("npm:toString")).toBeUndefined();
  });
});
