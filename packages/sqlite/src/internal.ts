/** Only for the other packages of Toolkeep: not public, may change in any release. */
export { type FolderSidecar, folderSidecar } from "./outputs/folder-sidecar.ts";
export { READ_FILE } from "./outputs/session-folder.ts";
export { type SpooledOutput, unreadableOutput } from "./outputs/spooled-output.ts";
export { sweepSidecars } from "./outputs/sweep-sidecars.ts";
export { STORE_RECORD } from "./store/session-rows.ts";
