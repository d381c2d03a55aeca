import { type Row, rowsOf } from "./row.ts";

/** C35 to C44: the shapes of a call and of what comes back. */
export const RESULT_ROWS: readonly Row[] = rowsOf("Calls and results", [
  {
    id: "C35",
    strength: "M",
    words:
      "A call is an id that is unique in its chat, a tool name and arguments; it takes no further field.",
  },
  {
    id: "C36",
    strength: "S",
    words: "Anything else worth saying about a call goes into the attributes of its trace span.",
  },
  {
    id: "C37",
    strength: "M",
    words:
      "A tool result has `success` and may have `terminal`, `needsFollowup`, `nextAction`, `message`, `error`, `data`; fields unknown today are kept.",
    note: "One of four projections of a single internal record.",
  },
  {
    id: "C38",
    strength: "M",
    words:
      "Every tool answers in one envelope: `type`, then `data` or `error_text`, and `metadata` with the duration and what was cut.",
    note: "One of four projections of a single internal record.",
  },
  {
    id: "C39",
    strength: "M",
    words:
      "A result holds text and image blocks, details that the model never sees, and the id of a child loop if there was one.",
    note: "One of four projections of a single internal record.",
  },
  {
    id: "C40",
    strength: "M",
    words:
      "On its way into the conversation a result gains the call's id, the tool's name, the error mark and the time.",
  },
  {
    id: "C41",
    strength: "M",
    words: "A result ends the run if it says so, or if it failed without asking for a follow-up.",
    note: "Failures made by the runtime itself always ask for a follow-up, so that the model can correct itself.",
  },
  {
    id: "C42",
    strength: "M",
    words:
      "Four failures have fixed words: the tool's own message, `Tool not found: …`, `Invalid arguments: …`, `Cancelled`.",
  },
  {
    id: "C43",
    strength: "M",
    words: "Whatever goes wrong reaches the model as a result marked as an error.",
  },
  {
    id: "C44",
    strength: "M",
    words:
      "Arguments that break the schema are a failure with the validator's words, found before the tool runs, and never thrown.",
  },
]);
