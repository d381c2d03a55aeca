import type { EffectMap, MappedEffect, MappedTool } from "../effect-map.ts";

/** A repository as a whole is its folder, as it is for the command line. */
const LOOKS: MappedEffect = { capability: "fs.read", target: "{repo_path}" };

function looking(checks: MappedTool["checks"] = {}): MappedTool {
  return { mode: "read", idempotent: true, effects: [LOOKS], checks };
}

/** `mcp-server-git`. Git's own words for branches and commits become words of a command: none may be an option. */
export const GIT_MAP: EffectMap = {
  name: "git",
  packages: ["pypi:mcp-server-git", "program:mcp-server-git"],
  tools: {
    git_status: looking(),
    git_diff_unstaged: looking(),
    git_diff_staged: looking(),
    git_diff: looking({ target: "word" }),
    git_log: looking({ start_timestamp: "word", end_timestamp: "word" }),
    git_show: looking({ revision: "word" }),
    git_branch: looking({ branch_type: "word", contains: "word", not_contains: "word" }),
    git_add: {
      mode: "safe_write",
      idempotent: true,
      effects: [
        LOOKS,
        { capability: "fs.read", target: "{files[] in repo_path}" },
        { capability: "git.add", target: "{repo_path}" },
      ],
      checks: { "files[]": "word" },
    },
    git_commit: {
      mode: "safe_write",
      effects: [LOOKS, { capability: "git.commit", target: "{repo_path}" }],
    },
    git_reset: {
      mode: "destructive",
      idempotent: true,
      effects: [LOOKS, { capability: "git.reset", target: "{repo_path}" }],
    },
    git_create_branch: {
      mode: "safe_write",
      effects: [LOOKS, { capability: "git.branch", target: "{repo_path}" }],
      checks: { branch_name: "word", base_branch: "word" },
    },
    // Another branch brings its own files, and takes away those that it does not have.
    git_checkout: {
      mode: "destructive",
      effects: [
        { capability: "fs.write", target: "{repo_path}" },
        { capability: "git.checkout", target: "{repo_path}" },
      ],
      checks: { branch_name: "word" },
    },
    git_init: {
      mode: "safe_write",
      idempotent: true,
      effects: [
        { capability: "fs.write", target: "{repo_path}" },
        { capability: "git.init", target: "{repo_path}" },
      ],
    },
  },
};
