import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Tool } from "@toolkeep/core";
import { backgroundTools, braveSearch, standardTools } from "@toolkeep/tools";
import { listTool, searchTool } from "@toolkeep/tools/authoring";
import { ROOT } from "./root.ts";

/** Writes docs/tools.md from the tools themselves, or says that it is not what they say. */
const { values: flags } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const PAGE = join(ROOT, "docs/tools.md");

const locked = standardTools({
  webSearch: { providers: [braveSearch({ key: "unused" })] },
});
const others = [listTool(), searchTool(), ...backgroundTools()] as readonly Tool[];
const text = [
  "# The built-in tools",
  "Written by `npm run tools-page -- --write` from the tools themselves.",
  "## The locked thirteen",
  "Their names and shapes are those that models have learned. Nobody can register another shape under these names.",
  ...locked.map(section),
  "## Beside them",
  ...others.map(section),
].join("\n\n");

if (flags.write) writeFileSync(PAGE, `${text}\n`);
else if (readFileSync(PAGE, "utf8") !== `${text}\n`) {
  console.error("docs/tools.md is not what the tools say: run `npm run tools-page -- --write`");
  process.exitCode = 1;
}

interface ParameterSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly items?: ParameterSchema;
  readonly properties?: Readonly<Record<string, ParameterSchema>>;
  readonly required?: readonly string[];
}

function section(tool: Tool): string {
  const schema = tool.inputSchema as {
    readonly properties?: Readonly<Record<string, ParameterSchema>>;
    readonly required?: readonly string[];
  };
  const rows = Object.entries(schema.properties ?? {}).map(([name, parameter]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    return `- \`${name}\` (${typeOf(parameter)}${isRequired ? "" : ", optional"})${parameter.description === undefined ? "" : `: ${parameter.description}`}`;
  });
  const facts = `Mode \`${tool.mode}\`, kind \`${tool.kind}\`, ${tool.gated ? "gated" : "not gated"}, ${tool.idempotent ? "may be run again" : "never run twice"}. Requires \`${JSON.stringify(tool.requires)}\`.`;
  return [
    `### \`${tool.name}\``,
    tool.description,
    facts,
    ...(rows.length === 0 ? [] : [rows.join("\n")]),
  ].join("\n\n");
}

function typeOf({ type, enum: options, items, properties, required = [] }: ParameterSchema): string {
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (properties !== undefined) {
    const fields = Object.entries(properties).map(
      ([name, field]) => `${name}${required.includes(name) ? "" : "?"}: ${typeOf(field)}`,
    );
    return `{ ${fields.join(", ")} }`;
  }
  if (options !== undefined) return options.map((option) => `\`${option}\``).join(" or ");
  return [type ?? "any"].flat().join(" or ");
}
