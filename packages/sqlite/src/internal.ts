/** Only for the other packages of Toolkeep: not public, may change in any release. */
export { type FolderSidecar, type FolderSidecarOptions, folderSidecar } from "./outputs/folder-sidecar.ts";
export { READ_FILE } from "./outputs/session-folder.ts";
export { type SpooledOutput, unreadableOutput } from "./outputs/spooled-output.ts";
export { type SweepOptions, type SweptSidecars, sweepSidecars } from "./outputs/sweep-sidecars.ts";
export type { StoredApprovals } from "./store/project-approvals.ts";
export { STORE_RECORD } from "./store/session-rows.ts";
export type { SessionHead } from "./store/sessions.ts";
export type { SqliteJournal } from "./store/sqlite-journal.ts";
