import { type Row, rowsOf } from "./row.ts";

const EXECUTION = rowsOf("Execution", [
  {
    id: "C86",
    strength: "M",
    words:
      "A call passes nine steps in this order: enabled, known, permitted, approved, within budget, before-hook, run with retries, stop early where retrying is pointless, after-hooks.",
    note: "Approval is given once per call, not once per attempt.",
  },
  {
    id: "C87",
    strength: "M",
    words: "With tools switched off a call fires the hook for that and returns at once.",
  },
  {
    id: "C88",
    strength: "M",
    words: "A failed attempt is repeated, three in all, after 1.5^attempt seconds and some jitter.",
    note: "Only transient failures of reading or idempotent tools are repeated; the literal behaviour is a profile.",
  },
  {
    id: "C89",
    strength: "M",
    words: "A missing file, a path outside the boundary and a test that fails every time are not repeated.",
  },
  {
    id: "C90",
    strength: "M",
    words:
      "A workflow may spend 8000 tokens, estimated from the arguments' JSON; the budget can be switched off, is kept apart per task, and can be reset.",
    note: "The budget is an explicit value of the turn rather than ambient state.",
  },
  {
    id: "C91",
    strength: "M",
    words:
      "The short form defaults to role `agent` and workspace `main`; an empty name and a shell call without a command fail at once.",
  },
  { id: "C92", strength: "M", words: "A name that begins with `mcp:` goes to the MCP client." },
  { id: "C93", strength: "M", words: "Latency and success are counted for each tool." },
  {
    id: "C94",
    strength: "M",
    words:
      "A batch runs one by one, all at once (the default), or in groups of a given size, fixed at construction.",
    note: "Calls whose effects conflict are put in order by locks under every strategy.",
  },
  {
    id: "C95",
    strength: "M",
    words: "A person's new words are looked for between calls, between groups, or after all, by strategy.",
  },
  { id: "C96", strength: "M", words: "A batch gives one result per call, in the order the calls came." },
  { id: "C97", strength: "M", words: "A call that exceeds its timeout is ended." },
  { id: "C98", strength: "M", words: "Cancelling a turn or a session aborts the tools that run in it." },
  { id: "C99", strength: "S", words: "An aborted call still returns: a failure, or what it has so far." },
]);

const HOOKS = rowsOf("Hooks, events, audit", [
  {
    id: "C100",
    strength: "M",
    words:
      "Six hooks tell of: before a tool, after it, its error, permission denied, token budget exceeded, tools disabled; each gets its own context.",
    note: "These six observe: they fire for every attempt, and one that throws is reported and ignored.",
  },
  {
    id: "C101",
    strength: "M",
    words:
      "`before_tool_execution` may refuse a call; then there is no start and no end event, and the model gets a failure in its place.",
    note: "It runs after authorization, so it can only narrow; if it throws, the call is refused.",
  },
  {
    id: "C102",
    strength: "M",
    words: "`after_tool_execution` follows the end event and knows whether the call failed.",
  },
  {
    id: "C103",
    strength: "M",
    words:
      "A hook may suppress an update; the one after it fires only for updates that were sent; each before-hook precedes its event.",
  },
  {
    id: "C104",
    strength: "M",
    words: "Partial results and progress become events for people and never reach the model.",
  },
  {
    id: "C105",
    strength: "M",
    words: "The audit notes start, success and failure of every call, each with the tool's origin.",
  },
  {
    id: "C106",
    strength: "M",
    words: "The journal holds one part per call, and a replay gives the recorded results again.",
  },
  {
    id: "C107",
    strength: "M",
    words: "A result without success shows as an error on screen.",
    awaits: "a screen. The status of a result is there, and is an error without success.",
  },
  { id: "C108", strength: "M", words: "In front of an ACP editor every call carries its kind." },
]);

const BOUNDING = rowsOf("Bounded output", [
  {
    id: "C109",
    strength: "M",
    words:
      "Output that is too long becomes its head, a mark and a path; the whole stays in the session's folder until it closes and can be read back.",
  },
  {
    id: "C110",
    strength: "S",
    words:
      "Limits are 200 KB for `read` (then byte ranges), `bash` (both streams) and `web_fetch` (as text), 1000 entries for `glob`, 200 matches for `grep`; figures may change, the shape may not.",
  },
]);

/** C86 to C110: how a call runs, who is told, and how much comes back. */
export const EXECUTION_ROWS: readonly Row[] = [...EXECUTION, ...HOOKS, ...BOUNDING];
