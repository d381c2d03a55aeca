import { type JsonSchema, type Schema, ToolFailure } from "@toolkeep/core";
import type { StandardSchema } from "@toolkeep/core/internal";
import { asSchema, type FlexibleSchema, type Schema as SdkSchema } from "ai";
import { copyOf, isPlainData, NOT_PLAIN, stableText } from "./plain-data.ts";

type Arguments = Readonly<Record<string, unknown>>;
type Validate = StandardSchema["~standard"]["validate"];
type Validated = Awaited<ReturnType<NonNullable<SdkSchema["validate"]>>>;

/** What a schema makes of arguments: the value a tool is run with, or why they do not fit. */
type Shaped = { readonly value: unknown; readonly error?: undefined } | { readonly error: string };

/**
 * The arguments of a tool of the SDK, whose schema may make something else of them. What is judged is JSON: the
 * value itself where it is plain data, otherwise what the model wrote. The schema is applied once for a call, and
 * the effects are asked about the very value that the tool is run with.
 */
export interface InputShape {
  /** For the session. */
  readonly schema: Schema;
  /** For the SDK, in the place of the tool's own: gives only plain data, which fits the schema again. */
  readonly forSdk: FlexibleSchema;
  /** What the schema makes of arguments, for whoever else wants to know it. */
  shape(input: unknown): Promise<Shaped>;
  /** What became of arguments that the session checked. @throws ToolFailure for others. */
  valueOf(args: Arguments): unknown;
}

/** Reads a schema in any form that the SDK takes. `action` is the argument whose value rules may name. */
export async function inputShape(given: FlexibleSchema | undefined, action?: string): Promise<InputShape> {
  const sdk = isSchema(given) ? asSchema(given) : undefined;
  const json = (sdk === undefined ? given : await sdk.jsonSchema) as JsonSchema;
  if (sdk?.validate === undefined) return plainShape(json, given as FlexibleSchema);
  const validate = isStandard(given) ? given["~standard"].validate : standardOf(sdk.validate);
  return new ShapedInput({ sdk, json, validate, action });
}

/** One that nobody but the session checks: what comes out is what went in, with defaults. */
function plainShape(json: JsonSchema, given: FlexibleSchema): InputShape {
  return {
    schema: json,
    forSdk: given,
    shape: async (value) => ({ value }),
    // The session freezes what it judges; tools may change what they are given.
    valueOf: (args) => copyOf(args),
  };
}

interface ShapedInputParts {
  readonly sdk: SdkSchema;
  readonly json: JsonSchema;
  readonly validate: Validate;
  readonly action: string | undefined;
}

class ShapedInput implements InputShape {
  readonly schema: StandardSchema;
  readonly forSdk: FlexibleSchema;
  readonly #parts: ShapedInputParts;
  /** By the arguments that were judged. */
  readonly #values = new WeakMap<object, { readonly value: unknown }>();

  constructor(parts: ShapedInputParts) {
    this.#parts = parts;
    const input = () => ({ ...parts.json });
    const validate = (raw: unknown) => this.#check(raw as Arguments);
    this.schema = { "~standard": { version: 1, vendor: "ai", jsonSchema: { input }, validate } };
    this.forSdk = { ...parts.sdk, jsonSchema: parts.json, validate: (raw: unknown) => this.#settle(raw) };
  }

  async shape(input: unknown): Promise<Shaped> {
    if (!isPlainData(input)) return { error: NOT_PLAIN };
    const outcome = await this.#parts.validate(copyOf(input));
    return outcome.issues === undefined ? { value: outcome.value } : { error: errorOf(outcome.issues) };
  }

  valueOf(args: Arguments): unknown {
    const kept = this.#values.get(args);
    if (kept !== undefined) return kept.value;
    throw new ToolFailure("effects_failed", "These are not the arguments that were checked.");
  }

  async #check(raw: Arguments): Promise<Awaited<ReturnType<Validate>>> {
    const outcome = await this.#parts.validate(copyOf(raw));
    if (outcome.issues !== undefined) return outcome;
    const { value } = outcome;
    const isEvaluated = isPlainData(value) && isRecord(value);
    const { action } = this.#parts;
    if (!isEvaluated && action !== undefined && !(isRecord(value) && value[action] === raw[action])) {
      return { issues: [{ message: "the schema changes what rules name, so nobody could judge the call" }] };
    }
    // The session freezes what it judges; tools may change what they are given.
    const args = isEvaluated ? copyOf(value) : raw;
    this.#values.set(args, { value });
    return { value: args };
  }

  /**
   * What the SDK is told: the value, if it is plain data that the schema leaves as it is, otherwise what the model
   * wrote. Either can be checked again, in this process or after a client sent it back, and stays the same.
   */
  async #settle(raw: unknown): Promise<Validated> {
    const { validate } = this.#parts.sdk as Required<SdkSchema>;
    const first = await validate(isPlainData(raw) ? copyOf(raw) : raw);
    if (!first.success || !isPlainData(first.value)) return first.success ? { ...first, value: raw } : first;
    const again = await validate(copyOf(first.value));
    const isSettled =
      again.success && isPlainData(again.value) && stableText(again.value) === stableText(first.value);
    return { success: true, value: isSettled ? first.value : raw };
  }
}

function standardOf(validate: NonNullable<SdkSchema["validate"]>): Validate {
  return async (value) => {
    const outcome = await validate(value);
    return outcome.success ? { value: outcome.value } : { issues: [{ message: outcome.error.message }] };
  };
}

function errorOf(issues: readonly { readonly message: string }[]): string {
  return `The arguments do not fit: ${issues
    .slice(0, 10)
    .map(({ message }) => message)
    .join("; ")}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isStandard(schema: unknown): schema is StandardSchema {
  const isCarrier = (typeof schema === "object" && schema !== null) || typeof schema === "function";
  return isCarrier && "~standard" in schema;
}

/** Anything but a bare JSON Schema, which the SDK does not know. */
function isSchema(given: unknown): given is FlexibleSchema | undefined {
  if (given === undefined || given === null || typeof given === "function" || isStandard(given)) return true;
  return Symbol.for("vercel.ai.schema") in (given as object);
}
