import type { Effect, EffectBasis } from "../call/effect.ts";
import type { Origin } from "../call/origin.ts";
import type { Label } from "../call/result.ts";
import type { DecisionFacts } from "../policy/condition.ts";
import type { Decision } from "../policy/decision.ts";
import type { Tool, ToolConfig } from "../tool/tool.ts";

/** One request by a model to run a tool. Nothing else travels in it. */
export interface ToolCall {
  /** Unique within the turn. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote it (JSON text), or already parsed. */
  readonly arguments: string | Readonly<Record<string, unknown>>;
}

/** A registered tool: bound to a name, with its origin. */
export interface RegisteredTool {
  readonly name: string;
  readonly tool: Tool;
  readonly origin: Origin;
  readonly originName: string;
  /** What stands between the parts that differ, in the events and results of its calls. */
  readonly texts: { readonly inEvent: string; readonly inResult: string };
  /** Checked against the tool's `configSchema`. */
  readonly config: ToolConfig;
}

/** A tool as far as policy is concerned. */
export interface PolicyTool {
  readonly name: string;
  readonly origin: Origin;
  readonly originName: string;
  readonly tool: Pick<Tool, "mode" | "gated" | "remote" | "actionArgument" | "deriveApprovalKey"> &
    Partial<
      Pick<
        Tool,
        | "description"
        | "inputSchema"
        | "outputSchema"
        | "requires"
        | "codeHash"
        | "execute"
        | "isModeGuessed"
        | "labels"
      >
    >;
}

/** A call as far as policy is concerned: what is about to happen, by which tool. */
export interface PolicyCall {
  readonly id: string;
  readonly found: PolicyTool;
  readonly args: Arguments;
  /** The arguments as JSON. */
  readonly argsText: string;
  readonly effects: readonly CanonicalEffect[];
  /**
   * What is remembered of the files that it reads: a session with these labels wrote them. Each with what the call does,
   * for the words of a reason.
   */
  readonly carries?: Readonly<Partial<Record<Label, string>>>;
}

/** An effect that was checked: its target is canonical and its basis is known. */
export interface CanonicalEffect extends Effect {
  readonly known: EffectBasis;
}

export type Arguments = Readonly<Record<string, unknown>>;

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
