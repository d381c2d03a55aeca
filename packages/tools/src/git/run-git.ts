import { type ToolContext, ToolFailure } from "@toolkeep/core";
import { defined, terminalText } from "@toolkeep/core/internal";
import type { GitPurpose } from "@toolkeep/core/ports";

/** The most of a command's output that is kept. */
export const KEPT_BYTES = 200_000;

/** One command of git. */
export interface GitRun {
  /** What it is called in a failure. */
  readonly action: string;
  readonly line: string;
  readonly purpose: GitPurpose;
  readonly workdir?: string | undefined;
  readonly timeoutMs: number;
}

/** Runs git without the programs that a repository names. @throws ToolFailure with git's own words where it failed. */
export async function runGit({ action, line, purpose, workdir, timeoutMs }: GitRun, ctx: ToolContext) {
  const outcome = await ctx.io.commands.run({
    line,
    git: purpose,
    keepBytes: KEPT_BYTES,
    timeoutMs,
    ...(workdir === undefined ? {} : { cwd: workdir }),
  });
  const text = new TextDecoder().decode(outcome.output?.head);
  if (outcome.exitCode !== 0) throw failed(action, terminalText(text), outcome.stopped);
  return { outcome, text };
}

function failed(action: string, output: string, stopped: string | undefined): ToolFailure {
  const hint = /filter .* failed/.test(output)
    ? "A program of the repository changes this file, and no such program runs here. Use `bash`, where the policy decides about the command."
    : undefined;
  const said = output.trim() === "" ? (stopped ?? "it said nothing") : output.trim();
  return new ToolFailure("tool_failed", `git ${action} failed: ${said.slice(0, 4_000)}`, defined({ hint }));
}
