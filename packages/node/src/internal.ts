/** Only for the other packages of Toolkeep: not public, may change in any release. */

export { isBeneath, isWithin } from "@toolkeep/core/internal";
export { commandsOnDisk } from "./commands/on-disk/commands-on-disk.ts";
export { safeForms } from "./commands/on-disk/safe-forms.ts";
export { type ParseOptions, parseCommand } from "./commands/parse-command.ts";
export { type Directories, type DirectoryOptions, directories } from "./environment/directories.ts";
export { temporaryFolders } from "./environment/temporary-folders.ts";
export { canonicalPath } from "./files/canonical-path.ts";
export { findBeneath } from "./files/find-beneath.ts";
export { gitStates } from "./git/git-states.ts";
export { addressError } from "./network/address-error.ts";
export { openCommandProxy } from "./network/proxy/open-command-proxy.ts";
export { proxyFolder } from "./network/proxy/proxy-folder.ts";
export { readBounded } from "./network/read-bounded.ts";
export { ownershipError } from "./owned-files/ownership-error.ts";
export {
  codeOf,
  type OwnedFile,
  type OwnedFileOptions,
  readOwnedFile,
} from "./owned-files/read-owned-file.ts";
export { foreignEntry, isRootOwned, whyNotRoots } from "./owned-files/root-owned.ts";
export { withFileLock } from "./owned-files/with-file-lock.ts";
export { writeOwnedFile } from "./owned-files/write-owned-file.ts";
export type { AttachableCommands } from "./processes/guarded-commands.ts";
export {
  type EndOptions,
  endNamespace,
  endTree,
  initFrom,
  markerFor,
  type NamespaceInit,
  startOf,
  type TreeRoot,
} from "./processes/process-tree.ts";
export { type SpawnedCommand, spawnCommand } from "./processes/spawn-command.ts";
export { type Spawner, startSpawner } from "./processes/spawner.ts";
export type { SpawnedProcess, SpawnerOptions, SpawnOrder } from "./processes/spawner-link.ts";
export type { Config, ConfigOrigin, PolicyPath } from "./project/config/config.ts";
export { formatConfigDiagnostic } from "./project/config/config-diagnostics.ts";
export { configJsonSchema } from "./project/config/config-json-schema.ts";
export { CONFIG_KEYS } from "./project/config/config-keys.ts";
export {
  type JsoncEntry,
  type JsoncError,
  type JsoncNode,
  type Position,
  plainValue,
  positionOf,
  type ReadJsonc,
  readJsonc,
} from "./project/config/jsonc-tree.ts";
export { accountHome, type ConfigReading, readConfig } from "./project/config/read-config.ts";
export { findProject } from "./project/trust/find-project.ts";
export { createProjectTrust } from "./project/trust/project-trust.ts";
export { type TrustedProject, type TrustStore, trustStore } from "./project/trust/trust-store.ts";
export { canConfine } from "./sandbox/bubblewrap/can-confine.ts";
export { findProgram } from "./sandbox/host/installation.ts";
export { type ProbeReport, type ProbeResult, probeSandbox } from "./sandbox/probe/probe-sandbox.ts";
export {
  closeSandboxRuntime,
  type SandboxRuntimeOptions,
  sandboxRuntime,
} from "./sandbox/sandbox-runtime.ts";
export { plainName } from "./terminal/approval-prompt.ts";
export { askApproval, CHANGED, INTERRUPTED, nextKey } from "./terminal/ask-approval.ts";
export { askQuestions, questionRows } from "./terminal/ask-questions.ts";
export { Keyboard } from "./terminal/keyboard.ts";
export { BAR, flowed, type PromptRow, wrapped } from "./terminal/prompt-rows.ts";
export { showRows, viewOf } from "./terminal/prompt-screen.ts";
export { osUser } from "./user/os-user.ts";
export { type SshSigning, signWithSsh } from "./user/sign-with-ssh.ts";
export { fileLabels, labelsFileIn } from "./workspace/labels/file-labels.ts";
export { type SandboxedDecisions, sandboxedDecisions } from "./workspace/open-workspace.ts";
export type { EnvironmentOptions } from "./workspace/workspace.ts";
