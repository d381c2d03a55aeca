import { HEADLESS_QUESTION } from "../contract/approval/approval.ts";
import { ToolFailure } from "../contract/call/result.ts";
import type { Question, QuestionAnswers } from "../contract/people/question.ts";
import type { RegisteredTool } from "../contract/tool/tool.ts";
import type { Diagnostic } from "../contract/values/diagnostic.ts";
import { errorText } from "../contract/values/error.ts";
import { checkConfig, fitsCore } from "./validate-tool.ts";

/** How the questions of a tool that is being prepared reach a person. */
export type AskAtInit = (toolName: string, questions: readonly Question[]) => Promise<QuestionAnswers>;

/** For a registry without a session: a tool that asks in `init` fails. */
export async function noApprover(): Promise<never> {
  throw new ToolFailure("unavailable", HEADLESS_QUESTION);
}

/** The tool with its configuration, after `init` and `activate`; or why it cannot be used. */
export type PreparedTool =
  | { readonly registered: RegisteredTool; readonly error?: undefined }
  | { readonly error: Diagnostic };

/** Checks the version and the configuration of a tool, and runs its `init` and `activate`. Never throws. */
export async function prepareTool(
  registered: RegisteredTool,
  given: Readonly<Record<string, unknown>>,
  ask: AskAtInit,
): Promise<PreparedTool> {
  const { name, tool, origin } = registered;
  const failed = (code: string, path: string, message: string) => ({
    error: { code, subject: name, origin, path, message },
  });
  if (!(await fitsCore(tool.requiredCoreVersion))) {
    const message = `Needs a core of ${tool.requiredCoreVersion}.`;
    return failed("unsupported_version", "/requiredCoreVersion", message);
  }
  try {
    const checked = await checkConfig(tool, given);
    if (checked.error !== undefined) return failed("invalid_config", "/config", checked.error);
    const { config } = checked;
    if (config["enabled"] === false)
      return failed("invalid_config", "/config/enabled", "Switched off by configuration.");
    await tool.init?.(config, { ask: (questions) => ask(name, questions) });
    await tool.activate?.();
    return { registered: { ...registered, config } };
  } catch (thrown) {
    return failed("init_failed", "/init", errorText(thrown));
  }
}
