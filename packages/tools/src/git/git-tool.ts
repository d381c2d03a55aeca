import { defineTool, type ToolContext, textContent, toolOutput } from "@toolkeep/core";
import type { EffectResolver } from "@toolkeep/core/ports";
import { COMMAND_REQUIREMENTS, commandLineEffects } from "../shell/command-line.ts";
import { commandResult } from "../shell/command-result.ts";
import { type GitCall, gitLine, gitPurpose } from "./git-commands.ts";
import { GIT_INPUT } from "./git-inputs.ts";
import { gitData } from "./git-results.ts";
import { KEPT_BYTES, runGit } from "./run-git.ts";

const MOST_JSON_BYTES = 6 * KEPT_BYTES + 4_096;
const TIMEOUT_MS = 120_000;

/** The tool `git`: in the sandbox, decided about like the command line, and without programs of the repository. */
export function gitTool() {
  return defineTool({
    name: "git",
    label: "Git",
    description:
      "Version control: init, status, add, commit, log, diff, show, branch (lists or creates) and push. Hooks, filters and other programs of the repository do not run; use `bash` where they must.",
    mode: "local",
    kind: "execute",
    inputSchema: GIT_INPUT,
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
