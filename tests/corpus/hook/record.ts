import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A call of a client: a line for its shell, or one of its tools by name. */
export type ClientCall =
  | string
  | {
      readonly line: string;
      /** The client's working directory, below the workspace. */
      readonly cwd?: string;
      /** The directory that Gemini CLI takes as a parameter of the call. */
      readonly directory?: string;
    }
  | { readonly tool: string; readonly input: Readonly<Record<string, string>> };

/** One conversation of a client in a clone of a foreign repository. */
export interface HookRecord {
  readonly id: string;
  readonly class: HookClass;
  readonly client?: "claude-code" | "gemini-cli" | "cursor" | "codex" | "copilot" | "opencode";
  /** The shell that the client starts. Default: bash. */
  readonly shell?: "zsh" | "dash" | "ksh" | "fish";
  /** The clone, by its name in `scenes.ts`, and what is different in this one, as shell. */
  readonly scene: string;
  readonly setup?: string;
  readonly calls: readonly ClientCall[];
  readonly must: {
    readonly decision: "stop" | "allow";
    readonly layers?: readonly "hook"[];
    readonly invariant: string;
  };
}

export const HOOK_CLASSES = [
  "hook-link",
  "hook-pattern",
  "hook-recursion",
  "hook-loads-project-code",
  "hook-git-elsewhere",
  "hook-commit-hooks",
  "hook-start-point",
  "hook-option-file",
  "hook-shell",
  "hook-shims",
  "hook-client-settings",
  "hook-patch",
  "hook-control",
] as const;

type HookClass = (typeof HOOK_CLASSES)[number];

const FOLDER = join(import.meta.dirname, "../../attacks");

export function readHookRecords(): readonly HookRecord[] {
  return ["hook.jsonl", "hook-shells.jsonl", "hook-control.jsonl"].flatMap((name) =>
    readFileSync(join(FOLDER, name), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as HookRecord),
  );
}
