import { defineTool, ToolFailure, textContent, toolOutput } from "@toolkeep/core";
import { fsWrite } from "@toolkeep/core/internal";
import { COMMAND_REQUIREMENTS, commandLineEffects, lineOfWords } from "../shell/command-line.ts";
import { CLONE_INPUT } from "./git-inputs.ts";
import { runGit } from "./run-git.ts";

const TIMEOUT_MS = 600_000;

interface CloneCall {
  readonly url: string;
  readonly folder?: string;
  readonly ref?: string;
  readonly depth?: number;
}

/** The tool `repo_clone`: decided about like `git clone`; without submodules, and runs nothing of the repository. */
export function repoCloneTool() {
  return defineTool({
    name: "repo_clone",
    label: "Clone a repository",
    description:
      "Clones a git repository into a new folder of the workspace. Submodules are left out; hooks and filters do not run.",
    mode: "local",
    kind: "execute",
    inputSchema: CLONE_INPUT,
    requires: COMMAND_REQUIREMENTS,
    effects: async (call, resolver) => [
      ...(await lineEffects({ command: cloneLine(call) }, resolver)),
      fsWrite(folderOf(call)),
    ],
    async execute(call, ctx) {
      const line = cloneLine(call);
      await runGit({ action: "clone", line, purpose: "making", timeoutMs: TIMEOUT_MS }, ctx);
      const folder = folderOf(call);
      return toolOutput({ data: { folder }, content: [textContent(`Cloned ${call.url} into ${folder}.`)] });
    },
  });
}

const lineEffects = commandLineEffects({});

function cloneLine(call: CloneCall): string {
  const { url, ref, depth } = call;
  return lineOfWords([
    ...["git", "clone", "--quiet", "--template=", "--no-recurse-submodules", "--no-local"],
    ...(ref === undefined ? [] : ["--branch", ref]),
    ...(depth === undefined ? [] : ["--depth", String(depth)]),
    ...["--", url, folderOf(call)],
  ]);
}

/** The name that git itself would give. */
function folderOf({ url, folder }: CloneCall): string {
  const name = folder ?? /([^/:]+?)(?:\.git)?\/*$/.exec(url)?.[1];
  if (name !== undefined) return name;
  throw new ToolFailure("invalid_arguments", "The address has no name for a folder: give `folder`.");
}
