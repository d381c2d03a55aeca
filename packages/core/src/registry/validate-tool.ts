import { isStandardSchema } from "../contract/call/schema-type.ts";
import { unknownVariable } from "../contract/call/variables.ts";
import { isTool, type Tool } from "../contract/tool/tool.ts";
import { defined } from "../contract/values/defined.ts";
import type { Diagnostic } from "../contract/values/diagnostic.ts";
import type { Origin } from "../contract/values/origin.ts";
import { CONTRACT_VERSION, CORE_VERSION } from "../contract/values/program.ts";
import { argumentChecker } from "../schema/argument-checker.ts";
import { checkInputSchema, checkSchema } from "../schema/check-schema.ts";

/** Those of other parties may have dots and be longer than those that `defineTool` takes. */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const NAME_RULE = "A name has 1 to 128 letters, digits, underscores, hyphens or dots, and nothing else.";

/** What can be said of a tool at once, when it is registered. `variables`: the names that are declared. Never throws. */
export function validateTool(
  tool: Tool,
  origin: Origin,
  variables: readonly string[],
): Diagnostic | undefined {
  const subject = tool?.name ?? "";
  const diagnostic = (code: string, path: string, message: string) => ({
    code,
    subject,
    origin,
    path,
    message,
  });
  if (!isTool(tool)) return diagnostic("invalid_tool", "", "Not a tool: make it with defineTool.");
  if (typeof tool.name !== "string" || !NAME.test(tool.name))
    return diagnostic("invalid_name", "/name", NAME_RULE);
  const { contractVersion, inputSchema, outputSchema } = tool;
  if (contractVersion.split(".")[0] !== CONTRACT_VERSION.split(".")[0]) {
    const message = `Made for contract ${contractVersion}; this core has ${CONTRACT_VERSION}.`;
    return diagnostic("unsupported_version", "/contractVersion", message);
  }
  if (tool.executor === "remote" && origin.source !== "mcp")
    return diagnostic("invalid_tool", "/remote", "Remote tools are declared by the MCP client alone.");
  const variable = unknownVariable(patternsOf(tool.requires), variables);
  if (variable !== undefined)
    return diagnostic("invalid_requirement", "/requires", `Unknown variable {${variable}}.`);
  if (isStandardSchema(inputSchema)) return undefined;
  const [error] = checkInputSchema(inputSchema);
  if (error !== undefined) return diagnostic("invalid_schema", `/inputSchema${error.path}`, error.diagnostic);
  if (outputSchema === undefined || isStandardSchema(outputSchema)) return undefined;
  const [other] = checkSchema(outputSchema);
  return other && diagnostic("invalid_schema", `/outputSchema${other.path}`, other.diagnostic);
}

function patternsOf(requires: Tool["requires"]): readonly string[] {
  if (requires === "unknown") return [];
  const { fs, net, env } = requires;
  return [...(fs?.read ?? []), ...(fs?.write ?? []), ...(net?.hosts ?? []), ...(env ?? [])];
}

/** Whether this core is one the tool works with. Loads the range parser when a tool names a range. */
export async function fitsCore(range: string): Promise<boolean> {
  if (range === "*" || range === "") return true;
  const { default: satisfies } = await import("semver/functions/satisfies.js");
  return satisfies(CORE_VERSION, range);
}

/** Checks a tool's configuration; `enabled` and `timeoutMs` are every tool's. */
export async function checkConfig(
  tool: Tool,
  config: Readonly<Record<string, unknown>>,
): Promise<CheckedConfig> {
  const { enabled, timeoutMs, ...own } = config;
  if (enabled !== undefined && typeof enabled !== "boolean")
    return { error: "/enabled: must be true or false" };
  if (timeoutMs !== undefined && !(typeof timeoutMs === "number" && timeoutMs > 0)) {
    return { error: "/timeoutMs: must be a number above 0" };
  }
  const everyTools = defined({ enabled, timeoutMs });
  if (tool.configSchema === undefined) return { config: Object.freeze({ ...own, ...everyTools }) };
  const check = await argumentChecker(tool.configSchema);
  const outcome = await check(own);
  if (outcome.error !== undefined) return { error: outcome.error };
  return { config: Object.freeze({ ...outcome.args, ...everyTools }) };
}

export type CheckedConfig =
  | { readonly config: Readonly<Record<string, unknown>>; readonly error?: undefined }
  | { readonly error: string };
