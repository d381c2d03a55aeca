import { Ajv, type AnySchemaObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { JsonSchema } from "../contract/call/schema-type.ts";
import { canonicalJson } from "../contract/values/json-text.ts";
import { linearPattern } from "./patterns/linear-pattern.ts";

/** The `regExp` engine of ajv. `code` is what ajv would put into stand-alone code, which we do not make. */
const linearRegExp = Object.assign((pattern: string, _flags: string) => linearPattern(pattern), {
  code: "linearRegExp",
});

const OPTIONS: Options = {
  strict: false,
  useDefaults: true,
  logger: false,
  // Schemas were checked when their tools were registered, by code that costs a hundredth of this.
  validateSchema: false,
  code: { regExp: linearRegExp },
};

/** Names that every object answers to. Schemas that use them are checked with more care, and more slowly. */
const INHERITED = new RegExp(`"(?:${Object.getOwnPropertyNames(Object.prototype).join("|")})"`);

const engines = new Map<string, Ajv | Ajv2020>();

/** Compiles with the dialect the schema names; 2020-12 where it names none. */
export function compileWithAjv(schema: JsonSchema, report: "first" | "all"): ValidateFunction {
  const dialect = /draft-0[4-7]/.test(String(schema["$schema"] ?? "")) ? "draft-07" : "2020-12";
  const engine = engineFor(dialect, report, INHERITED.test(JSON.stringify(schema)));
  const { $schema: _dialect, ...body } = schema;
  try {
    return engine.compile(body as AnySchemaObject);
  } finally {
    // The compiled function is all we keep: a tool that is unregistered, or unfit, must leave nothing behind.
    engine.removeSchema(body as AnySchemaObject);
  }
}

function engineFor(
  dialect: "draft-07" | "2020-12",
  report: "first" | "all",
  ownProperties: boolean,
): Ajv | Ajv2020 {
  const key = `${dialect} ${report} ${ownProperties}`;
  const known = engines.get(key);
  if (known !== undefined) return known;
  const options = { ...OPTIONS, allErrors: report === "all", ownProperties };
  const made = dialect === "draft-07" ? new Ajv(options) : new Ajv2020(options);
  formats.default(made as Ajv);
  // The originals of these two take time that grows with the square of the text, or of the list.
  made.addFormat("url", (text: string) => URL.canParse(text));
  made.removeKeyword("uniqueItems");
  made.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: hasNoTwins,
    error: TWINS,
  });
  engines.set(key, made);
  return made;
}

const TWINS = { message: "must NOT have duplicate items" };

function hasNoTwins(isWanted: boolean, list: readonly unknown[]): boolean {
  return !isWanted || new Set(list.map(canonicalJson)).size === list.length;
}
