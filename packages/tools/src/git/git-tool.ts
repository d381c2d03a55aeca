import { defineTool, type ToolContext, textContent, toolOutput } from "@toolkeep/core";
import type { EffectResolver } from "@toolkeep/core/ports";
import { COMMAND_LINE, COMMAND_REQUIREMENTS, commandLineEffects } from "../shell/command-line.ts";
import { commandResult } from "../shell/command-result.ts";
import { GIT_ACTIONS, type GitCall, gitLine, gitPurpose } from "./git-commands.ts";
import { gitData } from "./git-results.ts";
import { KEPT_BYTES, runGit } from "./run-git.ts";

const MOST_JSON_BYTES = 6 * KEPT_BYTES + 4_096;
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
    execute: (call, ctx) => runAction(call as GitCall, ctx),
  });
}

/** Those of its command line. */
function gitEffects(call: GitCall, resolver: EffectResolver) {
  const { workdir } = call;
  return lineEffects({ command: gitLine(call), ...(workdir === undefined ? {} : { workdir }) }, resolver);
}

const lineEffects = commandLineEffects({});

async function runAction(call: GitCall, ctx: ToolContext) {
  const { action, workdir } = call;
  const run = { action, line: gitLine(call), purpose: gitPurpose(call), workdir, timeoutMs: TIMEOUT_MS };
  const { outcome, text } = await runGit(run, ctx);
  const { head = new Uint8Array(), size = 0 } = outcome.output ?? {};
  const data = size > head.length ? undefined : gitData(call, text);
  if (data === undefined) return commandResult(outcome, KEPT_BYTES);
  return toolOutput({ data, content: [textContent(JSON.stringify(data, undefined, 1))] });
}
