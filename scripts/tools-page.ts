import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Tool } from "@toolkeep/core";
import { braveSearch, codeTools, managerTools, planMode, standardTools } from "@toolkeep/tools";
import { listTool, searchTool } from "@toolkeep/tools/internal";
import { ROOT } from "./root.ts";

/** Checks that docs/tools.md matches the tools; `--write` writes it. */
const { values: flags } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const PAGE = join(ROOT, "docs/tools.md");

const standard = standardTools({
  webSearch: { providers: [braveSearch({ key: "unused" })] },
});
const others = [
  listTool() as Tool,
  searchTool() as Tool,
  ...standardTools({ background: true }).slice(standard.length),
];
const text = [
  "# The built-in tools",
  "Written by `npm run tools-page -- --write` from the tools themselves.",
  "## The standard tools",
  "`standardTools()` returns these thirteen. Models know their names and parameters. The names are locked: a tool with one of these names and other parameters cannot be registered.",
  ...standard.map(section),
  "## Tools for code",
  "`codeTools()` returns these. They come in addition to the standard tools.",
  ...codeTools().map(section),
  "## Managers",
  "`managerTools()` returns these, `code_exec`, `test_runner`, `web_search` and `web_fetch`. They stand in front of the same implementations. Rules name an action as `file_manager.delete`. Models get a definition of all but `ask_clarification`: the prompt of an agent says how that is called, and a call of it pauses the run with the status `clarification_needed` (`runStatus` of `@toolkeep/core/formats`) until the user has answered.",
  ...managerTools()
    .filter(({ name }) => ![...standard, ...codeTools()].some((tool) => tool.name === name))
    .map(section),
  "## Plan mode",
  "`planMode()` returns two tools and a watchdog for the policy: `policy: { rules, watchdogs: [watchdog] }`. Until the user has approved the plan, every call is refused that may change something, also of subagents.",
  ...planMode().tools.map(section),
  "## The names of agentool",
  `\`standardTools({ set: "agentool" })\` returns ${listed(standardTools({ set: "agentool" }))}: the tools above, and \`diff\`, under the names of that package. What else it has (\`memory\`, \`multi-edit\`, \`task-*\`, \`http-request\`, \`sleep\`, \`output-validator\`) has no tool of its own here.`,
  "## Other built-in tools",
  ...others.map(section),
].join("\n\n");

if (flags.write) writeFileSync(PAGE, `${text}\n`);
else if (readFileSync(PAGE, "utf8") !== `${text}\n`) {
  console.error("docs/tools.md does not match the tools: run `npm run tools-page -- --write`");
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

function listed(tools: readonly Tool[]): string {
  return tools.map(({ name }) => `\`${name}\``).join(", ");
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
  const facts = `Mode \`${tool.mode}\`, kind \`${tool.kind}\`, ${tool.gated ? "gated" : "not gated"}, ${tool.idempotent ? "repeatable" : "not repeated"}. Requires \`${JSON.stringify(tool.requires)}\`.`;
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
