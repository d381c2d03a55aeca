/** How a model uses a tool well. More than its description says, and shown only where the tool can be used. */
export interface ToolGuide {
  /** The name of the tool. */
  readonly tool: string;
  /** When it is the right tool. */
  readonly when?: readonly string[];
  /** When another tool, or none, is better. */
  readonly whenNot?: readonly string[];
  readonly examples?: readonly string[];
  readonly tips?: readonly string[];
}

/** A workflow with several tools: shown only where a tool for each of its steps can be used. */
export interface Kit {
  /** Letters, digits, `_` and `-`. */
  readonly name: string;
  /** What it is for, in one line. */
  readonly description: string;
  readonly steps: readonly KitStep[];
}

/** A step of a kit. */
export interface KitStep {
  /** What is done, in one line. */
  readonly action: string;
  /** The tools that can do it, the best first. Of those, the first one that the session has is named. */
  readonly tools: readonly string[];
  readonly note?: string;
}
