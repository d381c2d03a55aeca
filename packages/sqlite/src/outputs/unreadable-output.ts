import { ToolFailure } from "@toolkeep/core";

/**
 * What is said when the output of a command cannot be opened, as a command can bring about that changes the rights
 * of its own output. What the system says would name the raw file.
 */
export function unreadableOutput(error: unknown): ToolFailure {
  const { code } = error as NodeJS.ErrnoException;
  return new ToolFailure("tool_failed", `What the command wrote cannot be read (${code ?? "unknown"}).`, {
    hint: "It may have changed the rights of its own output: leave `/dev/stdout` as it is.",
  });
}
