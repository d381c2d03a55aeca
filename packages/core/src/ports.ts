export { commandEffects } from "./commands/command-effects.ts";
export type { AgentDefinition } from "./contract/agent.ts";
export type { Kit, KitStep, ToolGuide } from "./contract/guides.ts";
export type {
  ByteRange,
  Command,
  CommandOptions,
  CommandOutcome,
  Commands,
  Environment,
  FileBytes,
  FileEntry,
  Files,
  Grant,
  GrantIo,
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
} from "./contract/io.ts";
export type { PdfPages, PdfQuery, PdfReader } from "./contract/pdf.ts";
export type { Person, RefusedToken, TokenAuthentication } from "./contract/person.ts";
export type {
  EffectResolver,
  FoundBeneath,
  LineOnDisk,
  ParsedCommand,
  ProtectedPaths,
  SimpleCommand,
} from "./contract/resolve-effects.ts";
export type {
  HostProxy,
  IsolationLevel,
  ListeningProxy,
  Sandbox,
  SandboxedCommand,
  SandboxProfile,
} from "./contract/sandbox.ts";
export type { SkillEntry, Skills } from "./contract/skills.ts";
export type { TaskInput, TaskOptions, TaskOutcome, TaskRunner, WaitingTask } from "./contract/tasks.ts";
