/**
 * The tools of each kind with their arguments besides `owner` and `repo`. Some versions of the server join an argument
 * marked `/` to an address, so it must not lead out of it. One marked `#` is an id that may belong to any repository.
 */
export const READ = `
get_commit sha/ include_diff detail page perPage
get_file_contents path/ ref/ sha/
get_latest_release
get_release_by_tag tag/
get_tag tag/
get_repository_tree tree_sha/ path_filter recursive
list_branches page perPage
list_commits sha/ author path/ since until page perPage
list_releases page perPage
list_tags page perPage
issue_read method issue_number page perPage
list_issues after direction labels orderBy perPage since state
get_label name/
list_label
list_pull_requests base head direction sort state page perPage
pull_request_read method pullNumber page perPage after
get_job_logs failed_only job_id return_content run_id tail_lines
get_workflow_run run_id
get_workflow_run_logs run_id
get_workflow_run_usage run_id
list_workflow_jobs run_id filter page perPage
list_workflow_run_artifacts run_id page perPage
list_workflow_runs workflow_id/ actor branch event status page perPage
list_workflows page perPage
get_code_scanning_alert alertNumber
list_code_scanning_alerts ref severity state tool_name
get_dependabot_alert alertNumber
list_dependabot_alerts severity state
get_secret_scanning_alert alertNumber
list_secret_scanning_alerts resolution secret_type state
list_repository_security_advisories direction sort state
get_discussion discussionNumber
get_discussion_comments discussionNumber after perPage`;

export const WRITE = `
create_branch branch/ from_branch/
create_or_update_file branch content message path/ sha
create_pull_request base body draft head maintainer_can_modify title
update_pull_request pullNumber base body draft maintainer_can_modify reviewers state title
update_pull_request_branch pullNumber expectedHeadSha
merge_pull_request pullNumber commit_message commit_title merge_method
push_files branch/ files[].path/ files[].content message
add_issue_comment issue_number body
issue_write method issue_number assignees body duplicate_of labels milestone state state_reason title type
sub_issue_write method issue_number replace_parent sub_issue_id# after_id# before_id#
label_write method name/ new_name color description
add_comment_to_pending_review pullNumber body line path side startLine startSide subjectType
pull_request_review_write method pullNumber body commitID event threadId#
request_copilot_review pullNumber
assign_copilot_to_issue issueNumber
rerun_failed_jobs run_id
rerun_workflow_run run_id
run_workflow workflow_id/ ref inputs
cancel_workflow_run run_id
manage_repository_notification_subscription action`;

export const DELETE = `
delete_file branch message path/
delete_workflow_run_logs run_id`;

/** A query may name any repository. */
export const SEARCH = `
search_code query order sort page perPage
search_issues query owner repo order sort page perPage
search_pull_requests query owner repo order sort page perPage
search_repositories query minimal_output order sort page perPage
search_users query order sort page perPage
search_orgs query order sort page perPage`;

export const OWN = `
get_me
get_teams user
get_team_members org team_slug
list_notifications before filter owner repo since page perPage
get_notification_details notificationID
list_gists since username page perPage
get_gist gist_id
list_starred_repositories direction sort username page perPage
get_global_security_advisory ghsaId
list_global_security_advisories affects cveId cwes ecosystem ghsaId isWithdrawn modified published severity type updated`;

export const OWN_WRITE = `
create_repository autoInit description name organization private
fork_repository organization owner repo
create_gist content description filename public
update_gist content description filename gist_id
star_repository owner repo
unstar_repository owner repo
dismiss_notification state threadID
manage_notification_subscription action notificationID
mark_all_notifications_read lastReadAt owner repo`;
