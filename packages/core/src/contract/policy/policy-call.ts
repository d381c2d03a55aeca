import type { Effect, EffectBasis } from "../call/effect.ts";
import type { Label } from "../call/result.ts";
import type { Tool } from "../tool/tool.ts";
import type { Origin } from "../values/origin.ts";

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
  /** Labels of the sessions that wrote the files it reads, each with what the call does, for the words of a reason. */
  readonly carries?: Readonly<Partial<Record<Label, string>>>;
}

/** An effect that was checked: its target is canonical and its basis is known. */
export interface CanonicalEffect extends Effect {
  readonly known: EffectBasis;
}

export type Arguments = Readonly<Record<string, unknown>>;
