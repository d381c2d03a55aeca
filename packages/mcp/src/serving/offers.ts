import type {
  CompleteRequest,
  CompleteResult,
  GetPromptResult,
  LoggingLevel,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type { ToolResult } from "@toolkeep/core";

/** Runs a tool for the client that waits, with everything that governs a call. */
export type RunTool = (call: {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}) => Promise<ToolResult>;

/** What is served beside tools. Whatever throws a `ToolFailure` becomes a clear error of the protocol. */
export interface Offers {
  resources(): Promise<readonly Resource[]>;
  resourceTemplates(): Promise<readonly ResourceTemplateType[]>;
  /** Reads through `run` whatever a tool stands for. */
  readResource(uri: string, run: RunTool): Promise<ReadResourceResult>;
  prompts(): Promise<readonly Prompt[]>;
  prompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<GetPromptResult>;
  /** Missing: nothing is completed. */
  complete?(params: CompleteRequest["params"], signal: AbortSignal): Promise<CompleteResult>;
  /**
   * Has changes of a resource told to `resourceUpdated` of the serving, until the returned function is called.
   * Missing: nobody is told of single resources.
   */
  watchResource?(uri: string): Promise<() => void>;
  /**
   * Told the least that clients want to read in logs, `undefined` for nothing. It goes to `log` of the serving.
   * Missing: there are no logs.
   */
  wantLogs?(level: LoggingLevel | undefined): void;
}
