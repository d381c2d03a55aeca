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

/** Runs a tool for the waiting client, fully governed. */
export type RunTool = (call: {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}) => Promise<ToolResult>;

/** What is served in addition to tools. A thrown `ToolFailure` becomes a protocol error. */
export interface Offers {
  resources(): Promise<readonly Resource[]>;
  resourceTemplates(): Promise<readonly ResourceTemplateType[]>;
  /** Reads through `run` what a tool governs. */
  readResource(uri: string, run: RunTool): Promise<ReadResourceResult>;
  prompts(): Promise<readonly Prompt[]>;
  prompt(name: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<GetPromptResult>;
  /** Without it nothing is completed. */
  complete?(params: CompleteRequest["params"], signal: AbortSignal): Promise<CompleteResult>;
  /**
   * Reports changes of a resource to `resourceUpdated` of the serving, until the returned function is called.
   * Without it clients are not notified of single resources.
   */
  watchResource?(uri: string): Promise<() => void>;
  /** Receives the lowest log level that clients want, if any; messages go to `log`. Without it there are no logs. */
  wantLogs?(level: LoggingLevel | undefined): void;
}
