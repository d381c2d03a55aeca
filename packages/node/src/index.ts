export { commandsOnDisk } from "./commands/on-disk/commands-on-disk.ts";
export { safeForms } from "./commands/on-disk/safe-forms.ts";
export { type ParseOptions, parseCommand } from "./commands/parse-command.ts";
export type {
  Config,
  ConfigDiagnostic,
  ConfigLayer,
  ConfigOrigin,
  PolicyPath,
  SandboxName,
} from "./config/config.ts";
export { formatConfigDiagnostic } from "./config/config-diagnostics.ts";
export { configJsonSchema } from "./config/config-json-schema.ts";
export { type Directories, type DirectoryOptions, directories } from "./config/directories.ts";
export { type ConfigReading, type ReadConfigOptions, readConfig } from "./config/read-config.ts";
export { type PdfReaderOptions, pdfReader } from "./documents/pdf-reader.ts";
export { declaredEnvironment } from "./environment/declared-environment.ts";
export { canonicalPath } from "./files/canonical-path.ts";
export type { FileBounds } from "./files/file-bounds.ts";
export { guardedFiles } from "./files/guarded-files.ts";
export { type FolderDiagnostic, formatFolderDiagnostic } from "./folder-source/folder-diagnostic.ts";
export {
  type FolderReport,
  type FolderSource,
  type FolderSourceOptions,
  folderSource,
} from "./folder-source/folder-source.ts";
export type { FolderLimits } from "./folder-source/load-tool-file.ts";
export { addressError } from "./network/address-error.ts";
export { guardedNetwork } from "./network/guarded-network.ts";
export {
  DEFAULT_NETWORK_BOUNDS,
  type NetworkBounds,
  type NetworkSettings,
  type ProxyAddresses,
  type Resolve,
} from "./network/network-settings.ts";
export { checkPolicy, type PolicyCheck } from "./policy-file/check-policy.ts";
export { definitionOf } from "./policy-file/definition-of.ts";
export { formatDiagnostic, type PolicyDiagnostic } from "./policy-file/diagnostic.ts";
export { diffPolicyFiles, explainPolicy } from "./policy-file/explain-policy.ts";
export { importClaude } from "./policy-file/import-claude.ts";
export { importGemini } from "./policy-file/import-gemini.ts";
export { importGeminiPolicy } from "./policy-file/import-gemini-policy.ts";
export type { ImportedRules, ImportNote, ImportOptions } from "./policy-file/imported-rules.ts";
export type { PolicyFile, PolicyTest, TestCall, TestFacts } from "./policy-file/policy-file.ts";
export { policyJsonSchema } from "./policy-file/policy-json-schema.ts";
export { type PolicyTestReport, type PolicyTestResult, testPolicy } from "./policy-file/policy-tests.ts";
export { type ReadPolicyOptions, readPolicy } from "./policy-file/read-policy-file.ts";
export type { CommandLimits, CommandParts } from "./processes/command-parts.ts";
export { guardedCommands } from "./processes/guarded-commands.ts";
export type { SpawnedProcess, Spawner, SpawnerOptions, SpawnOrder } from "./processes/spawner.ts";
export { startSpawner } from "./processes/start-spawner.ts";
export { type BubblewrapOptions, bubblewrap, type ProtectionOptions } from "./sandbox/bubblewrap.ts";
export { type ContainerOptions, container } from "./sandbox/container.ts";
export {
  type DoctorOptions,
  type DoctorReport,
  doctor,
  type ExaminedSandbox,
  type FoundProgram,
} from "./sandbox/doctor.ts";
export { doctorText } from "./sandbox/doctor-text.ts";
export type { Limits } from "./sandbox/limits.ts";
export { noSandbox } from "./sandbox/no-sandbox.ts";
export {
  type OpenedSandbox,
  type OpenSandboxOptions,
  openSandbox,
  type PassedOver,
} from "./sandbox/open-sandbox.ts";
export { type ProbeReport, type ProbeResult, probeSandbox } from "./sandbox/probe-sandbox.ts";
export type { QuarantinedThing } from "./sandbox/quarantine.ts";
export { type CommandDirectory, sandboxProfileFor } from "./sandbox/sandbox-profile.ts";
export {
  closeSandboxRuntime,
  type SandboxRuntimeOptions,
  sandboxRuntime,
} from "./sandbox/sandbox-runtime.ts";
export type { SandboxUser } from "./sandbox/sandbox-user.ts";
export { type FolderSkills, type FolderSkillsOptions, folderSkills } from "./skills/folder-skills.ts";
export type { SkillDiagnostic } from "./skills/skill-location.ts";
export { findProject } from "./trust/find-project.ts";
export {
  type ProjectTrust,
  type ProjectTrustOptions,
  projectTrust,
  type TrustAnswer,
  type TrustRequest,
  type TrustVerdict,
} from "./trust/project-trust.ts";
export { type TrustedProject, type TrustStore, trustStore } from "./trust/trust-store.ts";
export { type DecisionPointOptions, decisionPoint } from "./watchdogs/decision-point.ts";
export { openWorkspace } from "./workspace/open-workspace.ts";
export type {
  EnvironmentOptions,
  Workspace,
  WorkspaceLimits,
  WorkspaceOptions,
  WorkspaceSession,
  WorkspaceSessionOptions,
} from "./workspace/workspace.ts";
