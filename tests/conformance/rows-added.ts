import { type Row, rowsOf } from "./row.ts";

/** C119 to C125: requirements that a second, strict reading found. */
export const ADDED_ROWS: readonly Row[] = rowsOf("Found on a second reading", [
  {
    id: "C119",
    strength: "M",
    words:
      "A tool may also be registered by a decorator on a method, or by one call at module level that takes the mode as an option. The files of a tools folder register when they load, names that begin with `_` are skipped, and leaving a workspace removes the tools that it brought.",
  },
  {
    id: "C120",
    strength: "M",
    words:
      "The contract has discovery rules: where tools of a kind are looked for and what a file must be. The inspection of tools shows them.",
  },
  {
    id: "C121",
    strength: "M",
    words:
      "An invalid definition that concerns shadowing, trust, policy or requirements stops the session from starting. Any other invalid tool is off, with a diagnostic.",
  },
  {
    id: "C122",
    strength: "M",
    words:
      "Host patterns take the variables that paths take, and those that the host application declares; an unknown one is an error when the manifest is compiled.",
  },
  {
    id: "C123",
    strength: "M",
    words:
      "A screen can show for each call whether it is pending, running, done or failed, and what its mode calls for (nothing, a diff, undo, consent, a log entry), by a function and by a React hook.",
    awaits: "the function and the React hook that give a screen this status.",
  },
  {
    id: "C124",
    strength: "O",
    words: "A page shows and changes what an agent may do, as lists to include and to exclude.",
    awaits: "a page with the permissions of an agent. The lists themselves are there, see C85.",
  },
  {
    id: "C125",
    strength: "M",
    words: "`code_exec` has math, numpy and matplotlib, returns figures in its result, and has no I/O.",
  },
]);
