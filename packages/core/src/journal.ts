export type {
  JournalEntry,
  JournalEvent,
  PassingEntry,
  PayloadErase,
  RefusingStage,
  SessionForget,
  Stamp,
} from "./contract/store/event.ts";
export {
  type Message,
  OutcomeUnknown,
  type ParkKind,
  type Step,
  type StepEffect,
  type Steps,
  TurnParked,
} from "./contract/store/steps.ts";
export type {
  AcquireOptions,
  AnswerOptions,
  ChangedRequest,
  HeldLocks,
  Journal,
  JournalExtent,
  JournalQuery,
  LeftAnswer,
  LeftMessage,
  OpenJournal,
  OpenJournalOptions,
  OutputOptions,
  PendingArguments,
  RequestRef,
  SharedLocks,
  Sidecar,
  SidecarFile,
  StoreNews,
  UnfinishedTurn,
  WaitingQuery,
} from "./contract/store/store.ts";
export type { SessionsQuery, StoredSession } from "./contract/store/stored-session.ts";
export type { Digest } from "./contract/values/digest.ts";
export { type JsonSource, JsonText } from "./contract/values/json-text.ts";
export { type AuditRecord, toAudit } from "./journal/audit.ts";
export {
  batchError,
  CHAIN_START,
  type ChainOrigin,
  type ChainVerdict,
  chainAfter,
  type JournalBatch,
  linesOf,
  linkBatch,
  verifyChain,
} from "./journal/chain.ts";
export { decodeEvent, encodeEvent } from "./journal/encode-event.ts";
export { extentAfter, matchesQuery, NO_EXTENT } from "./journal/matches-query.ts";
export type { MemoryJournalOptions } from "./journal/memory-journal.ts";
export { OpenBatch } from "./journal/open-batch.ts";
export {
  isAnsweredByIndex,
  REQUEST_TYPES,
  type StandingEvent,
  StandingEvents,
} from "./journal/standing-events.ts";
export type { DoneCall, TurnRecord } from "./pipeline/record/turn-record.ts";
export { type ReplayDifference, type ReplayReport, replayJournal } from "./replay/replay-journal.ts";
export type { NewSteps } from "./session/options.ts";
