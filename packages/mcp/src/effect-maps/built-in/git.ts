import type { EffectMap, MappedEffect, MappedTool } from "../effect-map.ts";

/**
 * A repository as a whole is its directory, as it is for the command line. Git runs programs that the configuration of
 * a repository names, and a tracked directory may be a repository itself, with a configuration that came with it. So
 * using git there needs its own permission; the recommended rules give it for the top of the workspace.
 */
const LOOKS: readonly MappedEffect[] = [
  { capability: "fs.read", target: "{repo_path}" },
  { capability: "git.read", target: "{path:repo_path}" },
];

/** The server expands variables in the path. */
const REPOSITORY: MappedTool["checks"] = { repo_path: "literal" };

const LOOKING: MappedTool = {
  mode: "read",
  idempotent: true,
  effects: LOOKS,
  checks: REPOSITORY,
  arguments: [],
};

/** `mcp-server-git`. Names of branches and commits become arguments of a command: none may be an option. */
export const GIT_MAP: EffectMap = {
  name: "git",
  packages: ["pypi:mcp-server-git", "program:mcp-server-git"],
  tools: {
    git_status: LOOKING,
    git_diff_unstaged: { ...LOOKING, arguments: ["context_lines"] },
    git_diff_staged: { ...LOOKING, arguments: ["context_lines"] },
    git_diff: { ...LOOKING, checks: { ...REPOSITORY, target: "word" }, arguments: ["context_lines"] },
    git_log: {
      ...LOOKING,
      checks: { ...REPOSITORY, start_timestamp: "word", end_timestamp: "word" },
      arguments: ["max_count"],
    },
    git_show: { ...LOOKING, checks: { ...REPOSITORY, revision: "word" } },
    git_branch: {
      ...LOOKING,
      checks: { ...REPOSITORY, branch_type: "word", contains: "word", not_contains: "word" },
    },
    git_add: {
      mode: "safe_write",
      idempotent: true,
      effects: [
        ...LOOKS,
        { capability: "fs.read", target: "{files[] in repo_path}" },
        {
          capability: "fs.read",
          target: "{files[] in repo_path}/**",
          entriesOf: "{files[] in repo_path}",
        },
        { capability: "git.add", target: "{path:repo_path}" },
      ],
      checks: { ...REPOSITORY, "files[]": "word" },
    },
    // The server runs hooks itself, from a directory `hooks` next to the files if the top looks like a repository.
    git_commit: {
      mode: "safe_write",
      effects: [
        ...LOOKS,
        { capability: "git.commit", target: "{path:repo_path}" },
        { capability: "git.run", target: "{path:repo_path}" },
      ],
      checks: REPOSITORY,
      arguments: ["message"],
    },
    git_reset: {
      mode: "destructive",
      idempotent: true,
      effects: [...LOOKS, { capability: "git.reset", target: "{path:repo_path}" }],
      checks: REPOSITORY,
    },
    git_create_branch: {
      mode: "safe_write",
      effects: [...LOOKS, { capability: "git.branch", target: "{path:repo_path}" }],
      checks: { ...REPOSITORY, branch_name: "word", base_branch: "word" },
    },
    // Another branch adds its own files, and removes those that it does not have.
    git_checkout: {
      mode: "destructive",
      effects: [
        ...LOOKS,
        { capability: "fs.write", target: "{repo_path}" },
        { capability: "git.checkout", target: "{path:repo_path}" },
      ],
      checks: { ...REPOSITORY, branch_name: "word" },
    },
    git_init: {
      mode: "safe_write",
      idempotent: true,
      effects: [
        { capability: "fs.write", target: "{repo_path}" },
        { capability: "git.init", target: "{path:repo_path}" },
      ],
      checks: REPOSITORY,
    },
  },
  start: { args: ["-v", "-vv", "--verbose", "-r=", "--repository="] },
  environment: {
    // A repository without a `.git` is not used unless it is named explicitly.
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.bareRepository",
    GIT_CONFIG_VALUE_0: "explicit",
    // Only files are added, never patterns.
    GIT_LITERAL_PATHSPECS: "1",
  },
};
