import type { RequirementSet } from "../call/effect.ts";
import type { Label } from "../call/result.ts";
import { isStandardSchema, jsonSchemaOf } from "../call/schema-type.ts";
import { unknownKey } from "../values/error.ts";
import { isRecord } from "../values/is-record.ts";
import { unlessThrown } from "../values/unless-thrown.ts";
import type { ToolSpec } from "./tool.ts";
import { TOOL_FIELDS } from "./tool-fields.ts";

/** A definition as it is given, before anything of it is known to be there. */
export type WrittenTool = Partial<ToolSpec<unknown, unknown, unknown>> & { inputSchema?: unknown };

const LABELS: ReadonlySet<unknown> = new Set<Label>(["private", "untrusted"]);
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Why a definition is no tool, in a sentence; `undefined` if it is one. */
export function contractError(spec: WrittenTool): string | undefined {
  const unknown = Object.keys(spec).find((key) => !Object.hasOwn(TOOL_FIELDS, key));
  if (unknown !== undefined) return unknownKey(unknown, Object.keys(TOOL_FIELDS), "field");
  if (typeof spec.name !== "string" || !NAME.test(spec.name)) {
    return "`name` must be 1 to 64 letters, digits, underscores or hyphens.";
  }
  if (typeof spec.description !== "string" || spec.description.trim() === "") {
    return "`description` must say what the tool does: the model reads it.";
  }
  if (!isStandardSchema(spec.inputSchema) && !isRecord(spec.inputSchema)) {
    return "`inputSchema` must be a Standard Schema (zod, valibot, arktype) or a JSON Schema object.";
  }
  const type = rootType(spec.inputSchema);
  if (type !== undefined && type !== "object") {
    return `\`inputSchema\` must describe an object, because a model passes arguments by name; it describes: ${type}. Put it into an object: { value: … }.`;
  }
  if (!isRecord(spec.requires) && spec.requires !== "unknown") {
    return '`requires` must say what the tool may need; `{}` for nothing, "unknown" if you cannot tell.';
  }
  const labels: readonly unknown[] | undefined = spec.labels;
  if (labels !== undefined && !(Array.isArray(labels) && labels.every((one) => LABELS.has(one))))
    return '`labels` must be a list of "private" and "untrusted".';
  const locks: readonly unknown[] | undefined = spec.locks;
  if (locks !== undefined && !(Array.isArray(locks) && locks.every((one) => typeof one === "string")))
    return '`locks` must be a list of capabilities, such as "deploy.run".';
  const requirement = requirementError(spec.requires);
  if (requirement !== undefined) return requirement;
  if (spec.announces === true && spec.idempotent === true)
    return "`announces` is for tools that must not run twice; this one is `idempotent`. Leave out one of the two.";
  if (spec.recover !== undefined && typeof spec.recover !== "function")
    return "`recover` must be a function.";
  if (typeof spec.execute !== "function") return "`execute` must be a function.";
  return undefined;
}

function requirementError(requires: RequirementSet | "unknown"): string | undefined {
  if (requires === "unknown") return undefined;
  const known = ["fs", "net", "shell", "env", "capabilities"];
  const unknown = Object.keys(requires).find((key) => !known.includes(key));
  if (unknown !== undefined) return unknownKey(unknown, known, "field of `requires`");
  const { fs, net, shell, env, capabilities } = requires;
  for (const list of [fs?.read, fs?.write, net?.hosts, shell, env, capabilities]) {
    if (list !== undefined && !Array.isArray(list)) return "every entry of `requires` must be a list.";
  }
  return undefined;
}

/** The type that a Standard Schema accepts, where it can say so now. A JSON Schema is checked when it is registered. */
function rootType(schema: unknown): string | undefined {
  if (!isStandardSchema(schema)) return undefined;
  // It throws where a part of it is defined later in the same module.
  const type = unlessThrown(() => jsonSchemaOf(schema)?.["type"]);
  return typeof type === "string" ? type : undefined;
}
