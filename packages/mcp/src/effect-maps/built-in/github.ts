import type { EffectMap, MappedEffect, MappedTool } from "../effect-map.ts";

/** GitHub names are not case-sensitive, so rules are written in lower case. */
const REPOSITORY = "{slug:owner}/{slug:repo}";

function tool(mode: MappedTool["mode"], ...effects: readonly MappedEffect[]): MappedTool {
  return mode === "read" ? { mode, idempotent: true, effects } : { mode, effects };
}

const READ = tool("read", { capability: "github.read", target: REPOSITORY });
const WRITE = tool("external", { capability: "github.write", target: REPOSITORY });
const DELETE = tool("destructive", { capability: "github.delete", target: REPOSITORY });
/** A query may name any repository. */
const SEARCH = tool("read", { capability: "github.search", target: "*" });
const OWN = tool("read", { capability: "github.read", target: "*" });
const OWN_WRITE = tool("external", { capability: "github.write", target: "*" });

const named = (names: readonly string[], mapped: MappedTool) =>
  Object.fromEntries(names.map((name) => [name, mapped]));

/** `github-mcp-server`, by its documentation. A tool whose target cannot be derived from its arguments has `*`. */
export const GITHUB_MAP: EffectMap = {
  name: "github",
  packages: [
    "program:github-mcp-server",
    "image:ghcr.io/github/github-mcp-server",
    "host:api.githubcopilot.com",
  ],
  tools: {
    ...named(
      [
        "get_commit",
        "get_file_contents",
        "get_latest_release",
        "get_release_by_tag",
        "get_tag",
        "get_repository_tree",
        "list_branches",
        "list_commits",
        "list_releases",
        "list_tags",
        "issue_read",
        "list_issues",
        "get_label",
        "list_label",
        "list_pull_requests",
        "pull_request_read",
        "get_job_logs",
        "get_workflow_run",
        "get_workflow_run_logs",
        "get_workflow_run_usage",
        "list_workflow_jobs",
        "list_workflow_run_artifacts",
        "list_workflow_runs",
        "list_workflows",
        "get_code_scanning_alert",
        "list_code_scanning_alerts",
        "get_dependabot_alert",
        "list_dependabot_alerts",
        "get_secret_scanning_alert",
        "list_secret_scanning_alerts",
        "list_repository_security_advisories",
        "get_discussion",
        "get_discussion_comments",
      ],
      READ,
    ),
    ...named(
      [
        "create_branch",
        "create_or_update_file",
        "create_pull_request",
        "update_pull_request",
        "update_pull_request_branch",
        "merge_pull_request",
        "push_files",
        "add_issue_comment",
        "issue_write",
        "sub_issue_write",
        "label_write",
        "add_comment_to_pending_review",
        "pull_request_review_write",
        "request_copilot_review",
        "assign_copilot_to_issue",
        "rerun_failed_jobs",
        "rerun_workflow_run",
        "run_workflow",
        "cancel_workflow_run",
        "manage_repository_notification_subscription",
      ],
      WRITE,
    ),
    ...named(["delete_file", "delete_workflow_run_logs"], DELETE),
    ...named(
      [
        "search_code",
        "search_issues",
        "search_pull_requests",
        "search_repositories",
        "search_users",
        "search_orgs",
      ],
      SEARCH,
    ),
    ...named(
      [
        "get_me",
        "get_teams",
        "get_team_members",
        "list_notifications",
        "get_notification_details",
        "list_gists",
        "get_gist",
        "list_starred_repositories",
        "get_global_security_advisory",
        "list_global_security_advisories",
      ],
      OWN,
    ),
    ...named(
      [
        "create_repository",
        "fork_repository",
        "create_gist",
        "update_gist",
        "star_repository",
        "unstar_repository",
        "dismiss_notification",
        "manage_notification_subscription",
        "mark_all_notifications_read",
      ],
      OWN_WRITE,
    ),
  },
  // Not GITHUB_HOST: another host has other repositories with these names.
  start: {
    args: ["stdio", "--read-only", "--dynamic-toolsets", "--toolsets="],
    variables: [
      "GITHUB_PERSONAL_ACCESS_TOKEN",
      "GITHUB_TOOLSETS",
      "GITHUB_DYNAMIC_TOOLSETS",
      "GITHUB_READ_ONLY",
    ],
  },
};
