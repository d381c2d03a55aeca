/** Only for the other packages of Toolkeep: not public, may change in any release. */

export { commandsOnDisk } from "./commands/on-disk/commands-on-disk.ts";
export { safeForms } from "./commands/on-disk/safe-forms.ts";
export { parseCommand } from "./commands/parse-command.ts";
export { type Directories, directories } from "./environment/directories.ts";
export { temporaryFolders } from "./environment/temporary-folders.ts";
export { canonicalPath } from "./files/canonical-path.ts";
export { isProgram, realOf } from "./files/entries.ts";
export { findBeneath } from "./files/find-beneath.ts";
export { gitStates } from "./git/git-states.ts";
export { openCommandProxy } from "./network/proxy/open-command-proxy.ts";
export { proxyFolder } from "./network/proxy/proxy-folder.ts";
export { ownershipError } from "./owned-files/ownership-error.ts";
export { codeOf, readOwnedFile } from "./owned-files/read-owned-file.ts";
export { removeTree } from "./owned-files/remove-tree.ts";
export { foreignEntry, isRootOwned, whyNotRoots } from "./owned-files/root-owned.ts";
export { changeState, readState, type StateFile } from "./owned-files/state-file.ts";
export { withFileLock } from "./owned-files/with-file-lock.ts";
export { writeOwnedFile } from "./owned-files/write-owned-file.ts";
export type { AttachableCommands } from "./processes/guarded-commands.ts";
export { endNamespace, endTree, markerFor, startOf, type TreeRoot } from "./processes/process-tree.ts";
export { type SpawnedCommand, spawnCommand } from "./processes/spawn-command.ts";
export { startSpawner } from "./processes/spawner.ts";
export type { CatalogFile, Config, ConfigOrigin, PolicyPath } from "./project/config/config.ts";
export { formatConfigDiagnostic } from "./project/config/config-diagnostics.ts";
export { oneOf, projectCandidates, surveyConfig } from "./project/config/config-files.ts";
export { CONFIG_KEYS } from "./project/config/config-keys.ts";
export { plainValue, positionOf, readJsonc } from "./project/config/jsonc-tree.ts";
export { accountHome, type ConfigReading, readConfig } from "./project/config/read-config.ts";
export { findProject } from "./project/trust/find-project.ts";
export { createProjectTrust } from "./project/trust/project-trust.ts";
export { trustStore } from "./project/trust/trust-store.ts";
export { canConfine } from "./sandbox/bubblewrap/can-confine.ts";
export { clientProcess } from "./sandbox/contain/client-process.ts";
export { forgetPast, type ProjectPast, projectPast } from "./sandbox/contain/commit/past-commands.ts";
export { type PastVersion, pastVersions } from "./sandbox/contain/commit/past-versions.ts";
export { ChangedSince } from "./sandbox/contain/commit/undo-commit.ts";
export { decidedBefore, isContainable } from "./sandbox/contain/containable.ts";
export { containFolder } from "./sandbox/contain/containment-of.ts";
export { endPlace } from "./sandbox/contain/end-place.ts";
export { whyNoLayer } from "./sandbox/contain/layer/open-layer.ts";
export { namedElsewhere } from "./sandbox/contain/named-paths.ts";
export {
  type Granted,
  grantedTo,
  type Reach,
  reachOf,
  type StandingGrant,
} from "./sandbox/contain/standing-grants.ts";
export { askedLines, trailer } from "./sandbox/contain/trailer.ts";
export { findProgram, installCommand, namespaceError } from "./sandbox/host/installation.ts";
export { probeSandbox } from "./sandbox/probe/probe-sandbox.ts";
export { closeSandboxRuntime, sandboxRuntime } from "./sandbox/sandbox-runtime.ts";
export { plainName } from "./terminal/approval-prompt.ts";
export { askApproval, CHANGED, INTERRUPTED, nextKey } from "./terminal/ask-approval.ts";
export { askQuestions, questionRows } from "./terminal/ask-questions.ts";
export { Keyboard } from "./terminal/keyboard.ts";
export { BAR, flowed, type PromptRow, wrapped } from "./terminal/prompt-rows.ts";
export { showRows, viewOf } from "./terminal/prompt-screen.ts";
export { osUser } from "./user/os-user.ts";
export { signWithSsh } from "./user/sign-with-ssh.ts";
export { fileLabels, labelsFileIn } from "./workspace/labels/file-labels.ts";
export { type SandboxedDecisions, sandboxedDecisions } from "./workspace/open-workspace.ts";
export type { EnvironmentOptions } from "./workspace/workspace.ts";
