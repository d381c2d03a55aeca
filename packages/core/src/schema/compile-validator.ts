import type { JsonSchema } from "../contract/call/schema-type.ts";
import { unlessThrown } from "../contract/values/unless-thrown.ts";
import { describeErrors } from "./describe-error.ts";
import type { ValidationError } from "./interpreter/evaluation.ts";

/** Says what is wrong with a value; `undefined` when it fits. Applies the schema's defaults to it. */
export type Validate = (value: unknown) => string | undefined;

/** Above this, only the first error is described: a hostile list could have millions. */
const LARGEST_FULL_REPORT = 100_000;

/**
 * Compiles a JSON Schema. The engine is loaded when the first one is needed: importing it costs
 * more than starting Node. Where code must not be generated from text, such as on edge platforms, the schema is
 * interpreted instead. `whole` is how errors name the value itself.
 * @throws when the schema cannot be compiled.
 */
export async function compileValidator(schema: JsonSchema, whole = "arguments"): Promise<Validate> {
  return mayGenerateCode() ? compiled(schema, whole) : interpreted(schema, whole);
}

async function compiled(schema: JsonSchema, whole: string): Promise<Validate> {
  const { compileWithAjv } = await import("./ajv-engine.ts");
  const validate = compileWithAjv(schema, "first");
  let validateAll: typeof validate | undefined;

  function errorsOf(value: unknown): readonly ValidationError[] {
    const first = validate.errors ?? [];
    if (JSON.stringify(value).length > LARGEST_FULL_REPORT) return first;
    validateAll ??= compileWithAjv(schema, "all");
    validateAll(value);
    return validateAll.errors ?? first;
  }

  return (value) => (validate(value) === true ? undefined : describeErrors(errorsOf(value), value, whole));
}

async function interpreted(schema: JsonSchema, whole: string): Promise<Validate> {
  const { interpretSchema } = await import("./interpreter/interpret-schema.ts");
  const validate = interpretSchema(schema);
  return (value) => {
    const errors = validate(value);
    return errors.length === 0 ? undefined : describeErrors(errors, value, whole);
  };
}

/** Some platforms forbid it: workerd, pages with a content security policy, Node with a flag. */
function mayGenerateCode(): boolean {
  return unlessThrown(() => new Function("return true")() === true) ?? false;
}
