import {
  CONFIG_KEYS,
  type ConfigKey,
  SERVER_NAME,
  TOOL_KEYS,
  TOOL_NAME,
  type ValueKind,
} from "./config-keys.ts";
import { namesBelow } from "./read-config-text.ts";

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** The JSON Schema of a configuration file, for editors. Reading the file checks more than this. */
export function configJsonSchema(): { readonly [key: string]: Json } {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Toolkeep configuration",
    ...groupSchema(""),
  };
}

function groupSchema(group: string): { readonly [key: string]: Json } {
  const properties = namesBelow(group).map((name) => {
    const path = group === "" ? name : `${group}.${name}`;
    if (path === "$schema") return [name, { type: "string" }];
    if (path === "tools") return [name, toolsSchema()];
    const key = CONFIG_KEYS[path];
    return [name, key === undefined ? groupSchema(path) : keySchema(key)];
  });
  return { type: "object", additionalProperties: false, properties: Object.fromEntries(properties) };
}

function toolsSchema(): Json {
  const settings = Object.entries(TOOL_KEYS).map(([name, key]) => [name, keySchema(key)]);
  return {
    type: "object",
    description: "Settings by the name of the tool.",
    propertyNames: { pattern: TOOL_NAME.source },
    additionalProperties: { type: "object", properties: Object.fromEntries(settings) },
  };
}

function keySchema(key: ConfigKey): Json {
  return { ...valueSchema(key.is), description: `${key.description}${layerWords(key)}` };
}

function layerWords({ project, isManaged }: ConfigKey): string {
  if (isManaged === true) return " Only in the administrator's file.";
  if (project === "any") return "";
  if (project === "never") return " Not in a project's file.";
  return ` In a project's file only ${JSON.stringify(project.only)}.`;
}

function valueSchema(is: ValueKind): { readonly [key: string]: Json } {
  const text = { type: "string", pattern: "\\S" };
  switch (is.type) {
    case "word":
      return { enum: is.words };
    case "flag":
      return { type: "boolean" };
    case "count":
      return { type: "integer", minimum: 1 };
    case "path":
    case "text":
      return text;
    case "words":
      return { type: "array", items: { enum: is.words } };
    case "servers":
      return {
        type: "object",
        propertyNames: { pattern: SERVER_NAME.source },
        additionalProperties: { anyOf: [text, { type: "array", items: text }] },
      };
    case "approvers":
      return {
        type: "object",
        additionalProperties: {
          type: "object",
          additionalProperties: false,
          required: ["keys"],
          properties: {
            keys: {
              type: "array",
              minItems: 1,
              items: { type: "string", pattern: "^(?:valid-(?:after|before)=\\S+ )?(?:sk-)?ssh-ed25519" },
            },
            groups: { type: "array", items: text },
            users: { type: "array", items: text },
          },
        },
      };
    case "shapes":
      return { type: "array", items: shapeSchema(text) };
    default:
      return { type: "array", items: text };
  }
}

function shapeSchema(text: Json): Json {
  return {
    type: "object",
    additionalProperties: false,
    required: ["name", "pattern"],
    properties: { name: text, pattern: text },
  };
}
