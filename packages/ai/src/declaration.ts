import type { ToolSpec } from "@toolkeep/core";

type Declared = "requires" | "effects" | "mode" | "kind" | "idempotent" | "actionArgument" | "timeoutMs";

/**
 * What is said beside a tool of another framework: what it may need, what a call of it does. A tool of which
 * nothing is said is opaque: every call of it asks.
 */
export interface ToolDeclaration<Args = Readonly<Record<string, unknown>>>
  extends Partial<
    Pick<ToolSpec<Args, unknown, unknown>, Declared | "label" | "maxOutput" | "deriveApprovalKey">
  > {
  /** Its `execute` gives an async iterable, though it is no async generator function. */
  readonly streams?: true;
}

/** A tool that is not executed here, so that nothing of what it does passes the gate. */
export interface UngovernedTool {
  readonly name: string;
  readonly why: string;
}
