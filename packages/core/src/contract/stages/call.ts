import type { Label } from "../call/result.ts";
import type { Decision } from "../policy/decision.ts";
import type { Arguments, CanonicalEffect } from "../policy/policy-call.ts";
import type { DecisionFacts } from "../policy/policy-context.ts";
import type { RegisteredTool } from "../tool/tool.ts";

/** One request by a model to run a tool. Nothing else travels in it. */
export interface ToolCall {
  /** Unique within the turn. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote it (JSON text), or already parsed. */
  readonly arguments: string | Readonly<Record<string, unknown>>;
}

/** The name was found. */
export interface FoundCall {
  readonly id: string;
  readonly request: ToolCall;
  readonly found: RegisteredTool;
}

/** The arguments fit the schema; they are frozen and have their defaults. */
export interface CheckedCall extends FoundCall {
  readonly args: Arguments;
  /** The checked arguments as JSON. */
  readonly argsText: string;
}

/** It is known what the call is about to do. */
export interface ResolvedCall extends CheckedCall {
  readonly effects: readonly CanonicalEffect[];
  /** What is remembered of the files that it reads. */
  readonly carries?: Readonly<Partial<Record<Label, string>>>;
}

declare const scoped: unique symbol;

/** Every effect lies within what the tool requires and the ceiling allows. Known by its type alone. */
export interface ScopedCall extends ResolvedCall {
  readonly [scoped]: true;
  /** What lies outside of what a standard tool requires, and within the ceilings: a person is asked about it. */
  readonly beyond?: readonly CanonicalEffect[];
}

/** Policy has decided. */
export interface AuthorizedCall extends ScopedCall {
  readonly decision: Decision;
  /** What the session had taken in or touched when it was decided; missing for nothing. */
  readonly taint?: readonly Label[];
  /** What the rules knew of time and of earlier calls when it was decided; missing if none asked. */
  readonly facts?: DecisionFacts;
}
