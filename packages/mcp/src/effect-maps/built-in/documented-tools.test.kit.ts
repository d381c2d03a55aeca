/** The tools of a server that npm does not have, as its authors document them, each with its arguments. */
export interface DocumentedTools {
  readonly map: string;
  /** The document, and the revision of it that was read. */
  readonly source: string;
  readonly readOn: string;
  readonly tools: Readonly<Record<string, readonly string[]>>;
  /** Tools that the map leaves out: they are opaque, and ask. */
  readonly leftOut: readonly string[];
}

function toolsIn(lines: string): DocumentedTools["tools"] {
  return Object.fromEntries(
    lines
      .trim()
      .split("\n")
      .map((line) => {
        const [name = "", ...args] = line.trim().split(" ");
        return [name, args];
      }),
  );
}

const GITHUB = `
actions_get method owner repo resource_id
actions_list method owner page per_page repo resource_id workflow_jobs_filter workflow_runs_filter
actions_run_trigger inputs method owner ref repo run_id workflow_id
cancel_workflow_run owner repo run_id
delete_workflow_run_logs owner repo run_id
download_workflow_run_artifact artifact_id owner repo
get_job_logs failed_only job_id owner repo return_content run_id tail_lines
get_workflow_run owner repo run_id
get_workflow_run_logs owner repo run_id
get_workflow_run_usage owner repo run_id
list_workflow_jobs filter owner page perPage repo run_id
list_workflow_run_artifacts owner page perPage repo run_id
list_workflow_runs actor branch event owner page perPage repo status workflow_id
list_workflows owner page perPage repo
rerun_failed_jobs owner repo run_id
rerun_workflow_run owner repo run_id
run_workflow inputs owner ref repo workflow_id
get_code_scanning_alert alertNumber owner repo
list_code_scanning_alerts owner ref repo severity state tool_name
get_me
get_team_members org team_slug
get_teams user
get_dependabot_alert alertNumber owner repo
list_dependabot_alerts owner repo severity state
get_discussion discussionNumber owner repo
get_discussion_comments after discussionNumber owner perPage repo
list_discussion_categories owner repo
list_discussions after category direction orderBy owner perPage repo
create_gist content description filename public
get_gist gist_id
list_gists page perPage since username
update_gist content description filename gist_id
get_repository_tree owner path_filter recursive repo tree_sha
add_issue_comment body issue_number owner repo
assign_copilot_to_issue issueNumber owner repo
get_label name owner repo
issue_read issue_number method owner page perPage repo
issue_write assignees body duplicate_of issue_number labels method milestone owner repo state state_reason title type
list_issue_types owner
list_issues after direction labels orderBy owner perPage repo since state
search_issues order owner page perPage query repo sort
sub_issue_write after_id before_id issue_number method owner replace_parent repo sub_issue_id
label_write color description method name new_name owner repo
list_label owner repo
dismiss_notification state threadID
get_notification_details notificationID
list_notifications before filter owner page perPage repo since
manage_notification_subscription action notificationID
manage_repository_notification_subscription action owner repo
mark_all_notifications_read lastReadAt owner repo
search_orgs order page perPage query sort
add_project_item item_id item_type owner owner_type project_number
delete_project_item item_id owner owner_type project_number
get_project owner owner_type project_number
get_project_field field_id owner owner_type project_number
get_project_item fields item_id owner owner_type project_number
list_project_fields after before owner owner_type per_page project_number
list_project_items after before fields owner owner_type per_page project_number query
list_projects after before owner owner_type per_page query
projects_get field_id fields item_id method owner owner_type project_number
projects_list after before fields method owner owner_type per_page project_number query
projects_write item_id item_type method owner owner_type project_number updated_field
update_project_item item_id owner owner_type project_number updated_field
add_comment_to_pending_review body line owner path pullNumber repo side startLine startSide subjectType
create_pull_request base body draft head maintainer_can_modify owner repo title
list_pull_requests base direction head owner page perPage repo sort state
merge_pull_request commit_message commit_title merge_method owner pullNumber repo
pull_request_read method owner page perPage pullNumber repo
pull_request_review_write body commitID event method owner pullNumber repo
request_copilot_review owner pullNumber repo
search_pull_requests order owner page perPage query repo sort
update_pull_request base body draft maintainer_can_modify owner pullNumber repo reviewers state title
update_pull_request_branch expectedHeadSha owner pullNumber repo
create_branch branch from_branch owner repo
create_or_update_file branch content message owner path repo sha
create_repository autoInit description name organization private
delete_file branch message owner path repo
fork_repository organization owner repo
get_commit include_diff owner page perPage repo sha
get_file_contents owner path ref repo sha
get_latest_release owner repo
get_release_by_tag owner repo tag
get_tag owner repo tag
list_branches owner page perPage repo
list_commits author owner page perPage repo sha
list_releases owner page perPage repo
list_tags owner page perPage repo
push_files branch files message owner repo
search_code order page perPage query sort
search_repositories minimal_output order page perPage query sort
get_secret_scanning_alert alertNumber owner repo
list_secret_scanning_alerts owner repo resolution secret_type state
get_global_security_advisory ghsaId
list_global_security_advisories affects cveId cwes ecosystem ghsaId isWithdrawn modified published severity type updated
list_org_repository_security_advisories direction org sort state
list_repository_security_advisories direction owner repo sort state
list_starred_repositories direction page perPage sort username
star_repository owner repo
unstar_repository owner repo
search_users order page perPage query sort
create_pull_request_with_copilot owner repo problem_statement title`;

const GIT = `
git_status repo_path
git_diff_unstaged repo_path context_lines
git_diff_staged repo_path context_lines
git_diff repo_path target context_lines
git_commit repo_path message
git_commit_signed repo_path message key_id
git_add repo_path files
git_reset repo_path
git_log repo_path max_count start_timestamp end_timestamp
git_create_branch repo_path branch_name base_branch
git_checkout repo_path branch_name
git_show repo_path revision
git_branch repo_path branch_type contains not_contains`;

export const DOCUMENTED_TOOLS: readonly DocumentedTools[] = [
  {
    map: "github",
    source: "github/github-mcp-server, README.md at 0041770b138b56218f9e25fcf096f862d1e79287",
    readOn: "2026-11-17",
    tools: toolsIn(GITHUB),
    leftOut: [
      ..."actions_get actions_list actions_run_trigger download_workflow_run_artifact".split(" "),
      ..."list_discussion_categories list_discussions list_issue_types".split(" "),
      ..."add_project_item delete_project_item get_project get_project_field get_project_item".split(" "),
      ..."list_project_fields list_project_items list_projects update_project_item".split(" "),
      ..."projects_get projects_list projects_write".split(" "),
      ..."list_org_repository_security_advisories create_pull_request_with_copilot".split(" "),
    ],
  },
  {
    map: "git",
    source: "modelcontextprotocol/servers, src/git at 0018339da5e4491ad4edde2bdf2e4d76ad308507",
    readOn: "2026-11-17",
    tools: toolsIn(GIT),
    // Its key becomes an option of a command.
    leftOut: ["git_commit_signed"],
  },
  {
    map: "fetch",
    source: "modelcontextprotocol/servers, src/fetch/README.md at 016c67dad089897bd96fed1b787978f189039ff4",
    readOn: "2026-11-17",
    tools: toolsIn("fetch url max_length start_index raw"),
    leftOut: [],
  },
];
