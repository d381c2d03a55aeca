import { defineTool, type ToolContext, ToolFailure, textContent, toolOutput } from "@toolkeep/core";
import { terminalText } from "@toolkeep/core/internal";
import type { EffectResolver } from "@toolkeep/core/ports";
import { COMMAND_LINE, COMMAND_REQUIREMENTS, commandLineEffects } from "../shell/command-line.ts";
import { commandResult } from "../shell/command-result.ts";
import { GIT_ACTIONS, type GitAction, type GitCall, gitLine, gitPurpose } from "./git-commands.ts";
import { gitData } from "./git-results.ts";

const KEEP_BYTES = 200_000;
const MOST_JSON_BYTES = 6 * KEEP_BYTES + 4_096;
const TIMEOUT_MS = 120_000;

const NAME = { type: "string", pattern: "^[^-]", maxLength: 500 } as const;

/** The parameters of a tool for git, apart from its actions. */
const GIT_PARAMETERS = {
  paths: {
    type: "array",
    items: { type: "string", minLength: 1, maxLength: 4_096 },
    minItems: 1,
    maxItems: 1_000,
    description: "Files and folders. Needed for add; limits status, log, diff and show.",
  },
  message: { type: "string", minLength: 1, maxLength: 10_000, description: "Of the commit." },
  ref: {
    ...NAME,
    description:
      "A commit, branch or range (`main..HEAD`), for log, diff and show; where a new branch starts.",
  },
  staged: { type: "boolean", description: "For diff: what is staged. Default: what is not." },
  count: {
    type: "integer",
    minimum: 1,
    maximum: 1_000,
    description: "How many commits log shows. Default: 20.",
  },
  name: { ...NAME, description: "The branch to create, or to push. Without it, branch lists them." },
  remote: { ...NAME, description: "Where push sends to. Default: origin." },
  workdir: COMMAND_LINE.workdir,
} as const;

/**
 * The tool `git`: version control in the sandbox of the session. Decided about like the same command line in `bash`;
 * programs that the repository names do not run.
 */
export function gitTool() {
  return defineTool({
    name: "git",
    label: "Git",
    description:
      "Version control: init, status, add, commit, log, diff, show, branch (lists or creates) and push. Hooks, filters and other programs of the repository do not run; use `bash` where they must.",
    mode: "local",
    kind: "execute",
    inputSchema: {
      type: "object",
      properties: { action: { enum: GIT_ACTIONS }, ...GIT_PARAMETERS },
      required: ["action"],
      additionalProperties: false,
    } as const,
    requires: COMMAND_REQUIREMENTS,
    maxOutput: { bytes: MOST_JSON_BYTES },
    effects: (call, resolver) => gitEffects(call as GitCall, resolver),
    execute: (call, ctx) => runGit(call as GitCall, ctx),
  });
}

/** Those of its command line. */
function gitEffects(call: GitCall, resolver: EffectResolver) {
  const { workdir } = call;
  return lineEffects({ command: gitLine(call), ...(workdir === undefined ? {} : { workdir }) }, resolver);
}

const lineEffects = commandLineEffects({});

async function runGit(call: GitCall, ctx: ToolContext) {
  const outcome = await ctx.io.commands.run({
    line: gitLine(call),
    git: gitPurpose(call),
    keepBytes: KEEP_BYTES,
    timeoutMs: TIMEOUT_MS,
    ...(call.workdir === undefined ? {} : { cwd: call.workdir }),
  });
  const { head = new Uint8Array(), size = 0 } = outcome.output ?? {};
  const text = new TextDecoder().decode(head);
  if (outcome.exitCode !== 0) throw failed(call.action, terminalText(text), outcome.stopped);
  const data = size > head.length ? undefined : gitData(call, text);
  if (data === undefined) return commandResult(outcome, KEEP_BYTES);
  return toolOutput({ data, content: [textContent(JSON.stringify(data, undefined, 1))] });
}

function failed(action: GitAction, output: string, stopped: string | undefined): ToolFailure {
  const hint = /(?:clean|smudge) filter .* failed|filter .* failed/.test(output)
    ? "A program of the repository changes this file, and no such program runs here. Use `bash`, where the policy decides about the command."
    : undefined;
  const said = output.trim() === "" ? (stopped ?? "it said nothing") : output.trim();
  return new ToolFailure("tool_failed", `git ${action} failed: ${said.slice(0, 4_000)}`, {
    ...(hint === undefined ? {} : { hint }),
  });
}
