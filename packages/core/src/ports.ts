export { commandEffects } from "./commands/effects/command-effects.ts";
export type { AgentDefinition } from "./contract/io/agent.ts";
export type { Kit, KitStep, ToolGuide } from "./contract/io/guides.ts";
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
  HostProxy,
  IsolationLevel,
  ListeningProxy,
  Sandbox,
  SandboxedCommand,
  SandboxProfile,
} from "./contract/io/sandbox.ts";
export type { SkillEntry, Skills } from "./contract/io/skills.ts";
export type { TaskInput, TaskOptions, TaskOutcome, TaskRunner, WaitingTask } from "./contract/io/tasks.ts";
export type { Person, RefusedToken, TokenAuthentication } from "./contract/people/person.ts";
