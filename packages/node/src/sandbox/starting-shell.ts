import type { ShellStep } from "./mount-check.ts";

/** The words before a command for a shell that takes these steps and then becomes the command; none for no steps. */
export function startingShell(shell: string, steps: readonly (ShellStep | undefined)[]): readonly string[] {
  const taken = steps.filter((step) => step !== undefined && step.script !== "");
  if (taken.length === 0) return [];
  const script = `${taken.map((step) => step?.script).join("")}exec "$@"`;
  return [shell, "-c", script, "sh", ...taken.flatMap((step) => step?.words ?? [])];
}
