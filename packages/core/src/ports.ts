export { commandEffects } from "./commands/effects/command-effects.ts";
export type {
  AgentDefinition,
  Kit,
  KitStep,
  SkillEntry,
  Skills,
  TaskInput,
  TaskOptions,
  TaskOutcome,
  TaskRunner,
  ToolGuide,
  WaitingTask,
} from "./contract/io/agent.ts";
export type { CodeError, CodeLanguage, CodeOutcome, CodeProgram, CodeRunner } from "./contract/io/code.ts";
export type {
  ByteRange,
  Command,
  CommandOptions,
  CommandOutcome,
  Commands,
  Environment,
  FileBytes,
  FileChange,
  FileEntry,
  Files,
  GitPurpose,
  KeptOutput,
  ListQuery,
  Network,
  NetworkRequest,
  NetworkResponse,
  RunningCommand,
  SearchMatch,
  SearchQuery,
  WriteOptions,
  WrittenFile,
} from "./contract/io/io.ts";
export type { PdfPages, PdfQuery, PdfReader } from "./contract/io/pdf.ts";
export type {
  EffectResolver,
  FoundBeneath,
  LineOnDisk,
  ParsedCommand,
  ProtectedPaths,
  SimpleCommand,
} from "./contract/io/resolve-effects.ts";
export type {
  ContainedOutcome,
  Containment,
  HostProxy,
  IsolationLevel,
  ListeningProxy,
  ProjectCaches,
  Sandbox,
  SandboxedCommand,
  SandboxProfile,
  SharedCache,
} from "./contract/io/sandbox.ts";
export type { Person, RefusedToken, TokenAuthentication } from "./contract/people/principal.ts";
export type { Grant, GrantIo } from "./contract/stages/grant.ts";
export type { MayContain } from "./policy/rules/explanation.ts";
