import { type JsonSchema, type Schema, ToolFailure } from "@toolkeep/core";
import { canonicalJson, isRecord, isStandardSchema, type StandardSchema } from "@toolkeep/core/internal";
import { asSchema, type FlexibleSchema, type Schema as SdkSchema, type ToolSet } from "ai";
import { copyOf, isPlainData, NOT_PLAIN } from "./plain-data.ts";

/** A tool of the AI SDK, of any kind. */
export type SdkTool = ToolSet[string];

/** The input type of a tool of the SDK. */
export type InputOf<TOOL> = TOOL extends {
  readonly execute: (input: infer Input, ...more: never[]) => unknown;
}
  ? Input
  : never;

type Arguments = Readonly<Record<string, unknown>>;
type Validate = StandardSchema["~standard"]["validate"];
type Validated = Awaited<ReturnType<NonNullable<SdkSchema["validate"]>>>;

/** The result of validation: the value that the tool is run with, or an error. */
type Shaped = { readonly value: unknown; readonly error?: undefined } | { readonly error: string };

/**
 * The input of a tool of the SDK, whose schema may transform it. Policy evaluates JSON: the transformed value if it is
 * plain data, otherwise what the model wrote. The schema is applied once for a call, and the effects are resolved for
 * the same value that the tool is run with.
 */
export interface InputShape {
  /** For the session. */
  readonly schema: Schema;
  /** For the SDK, instead of the tool's own: returns plain data only, which is valid input again. */
  readonly forSdk: FlexibleSchema;
  /** Validates and transforms input outside a call. */
  shape(input: unknown): Promise<Shaped>;
  /** The transformed value of arguments that the session validated. @throws ToolFailure for others. */
  valueOf(args: Arguments): unknown;
}

const known = new WeakMap<object, Map<string | undefined, Promise<InputShape>>>();

/**
 * Reads a schema in any form that the SDK accepts. `action` is the argument whose value rules can name. A server governs
 * its tools for each request: a schema is read once, apart from plain JSON Schema, which can be changed.
 */
export function inputShape(given: FlexibleSchema | undefined, action?: string): Promise<InputShape> {
  if (given === undefined || given === null || !isSchema(given)) return readShape(given, action);
  const shapes = known.get(given) ?? new Map<string | undefined, Promise<InputShape>>();
  known.set(given, shapes);
  const shape = shapes.get(action) ?? readShape(given, action);
  shapes.set(action, shape);
  return shape;
}

async function readShape(given: FlexibleSchema | undefined, action?: string): Promise<InputShape> {
  const sdk = isSchema(given) ? asSchema(given) : undefined;
  const json = (sdk === undefined ? given : await sdk.jsonSchema) as JsonSchema;
  if (sdk?.validate === undefined) return plainShape(json, given as FlexibleSchema);
  const validate = isStandardSchema(given) ? given["~standard"].validate : standardOf(sdk.validate);
  return new ShapedInput({ sdk, json, validate, action });
}

/** A schema that only the session validates: the value stays the same, apart from defaults. */
function plainShape(json: JsonSchema, given: FlexibleSchema): InputShape {
  return {
    schema: json,
    forSdk: given,
    shape: async (value) => ({ value }),
    // The session freezes the arguments; tools may change theirs.
    valueOf: (args) => copyOf(args),
  };
}

/** The same schema, which calls `offered` when the SDK awaits its JSON form to offer the tool to the model. */
export function watchedSchema(schema: FlexibleSchema, offered: () => Promise<void>): FlexibleSchema {
  if (!isSchema(schema)) return schema;
  const sdk = asSchema(schema);
  const then: Promise<unknown>["then"] = (...next) =>
    offered()
      .then(() => sdk.jsonSchema)
      .then(...next);
  // Code that does not await it, such as a log, sees the JSON Schema itself.
  // biome-ignore lint/suspicious/noThenProperty: the SDK awaits it
  const jsonSchema = Object.defineProperty({ ...(sdk.jsonSchema as object) }, "then", { value: then });
  return { ...sdk, jsonSchema } as FlexibleSchema;
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
  /** By the evaluated arguments. */
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
      return {
        issues: [
          { message: "the schema changes the action that rules name, so policy cannot evaluate the call" },
        ],
      };
    }
    // The session freezes the arguments; tools may change theirs.
    const args = isEvaluated ? copyOf(value) : raw;
    this.#values.set(args, { value });
    return { value: args };
  }

  /**
   * What the SDK receives: the value if it is plain data that the schema no longer changes, otherwise what the model
   * wrote. Both can be validated again, here or after a client sent them back, with the same result.
   */
  async #settle(raw: unknown): Promise<Validated> {
    const { validate } = this.#parts.sdk as Required<SdkSchema>;
    const first = await validate(isPlainData(raw) ? copyOf(raw) : raw);
    if (!first.success || !isPlainData(first.value)) return first.success ? { ...first, value: raw } : first;
    const again = await validate(copyOf(first.value));
    const isSettled =
      again.success && isPlainData(again.value) && canonicalJson(again.value) === canonicalJson(first.value);
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
  return `Invalid arguments: ${issues
    .slice(0, 10)
    .map(({ message }) => message)
    .join("; ")}`;
}

/** Anything but a plain JSON Schema object, which the SDK does not accept. */
function isSchema(given: unknown): given is FlexibleSchema | undefined {
  if (given === undefined || given === null || typeof given === "function" || isStandardSchema(given))
    return true;
  return Symbol.for("vercel.ai.schema") in (given as object);
}
