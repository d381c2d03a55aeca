import type { ToolSet } from "ai";

/** A tool of the AI SDK, of any kind. */
export type SdkTool = ToolSet[string];

/** The arguments that a tool of the SDK is executed with. */
export type InputOf<TOOL> = TOOL extends {
  readonly execute: (input: infer Input, ...more: never[]) => unknown;
}
  ? Input
  : never;
