import { type Row, rowsOf } from "./row.ts";

const CONTRACT = rowsOf("Contract", [
  {
    id: "C1",
    strength: "M",
    words: "A tool has one name; it stays the same for every agent and every session.",
  },
  { id: "C2", strength: "M", words: "A tool carries a description, written for the model that chooses it." },
  { id: "C3", strength: "M", words: "A tool carries a label, written for the people who watch it." },
  { id: "C4", strength: "M", words: "A tool says which arguments it takes as JSON Schema." },
  {
    id: "C5",
    strength: "M",
    words: "A tool may say what it returns; the model is told, and nothing is refused for deviating from it.",
  },
  { id: "C6", strength: "M", words: "What a tool may ever need is declared when it is registered." },
  {
    id: "C7",
    strength: "M",
    words:
      "A tool states its kind `Tool`, the contract version 1.0.0 it was written for, and the range of core versions it accepts.",
  },
  {
    id: "C8",
    strength: "M",
    words:
      "Every tool's configuration takes `enabled` and `timeoutMs`, and one call may set another timeout.",
  },
  { id: "C9", strength: "M", words: "There is no limit on how many tools are loaded or active at a time." },
  {
    id: "C10",
    strength: "M",
    words:
      "A tool runs here (`local`) or behind an MCP server (`remote`); both live in one registry under one contract, and only the MCP client may declare the second.",
  },
  {
    id: "C11",
    strength: "M",
    words:
      "A tool says whether its calls need approval, and derives from the arguments the key an approval covers.",
  },
  {
    id: "C12",
    strength: "M",
    words:
      "Equal arguments give an equal approval key, which holds nothing random or timed, no secret, and needs no network.",
  },
  {
    id: "C13",
    strength: "M",
    words:
      "A tool is run with two arguments: what the model chose, and apart from it what the system provides.",
  },
  {
    id: "C14",
    strength: "M",
    words:
      "The context names the call and the tool, carries a cancel signal derived from the turn's, and can report partial results and progress.",
  },
  {
    id: "C15",
    strength: "M",
    words: "A tool may state its mode at registration, which beats the guess from its name.",
  },
  {
    id: "C16",
    strength: "M",
    words:
      "What the model sees of a tool is a separate value from what runs; the name alone leads from one to the other.",
  },
]);

const REGISTRY = rowsOf("Registry and lifecycle", [
  {
    id: "C17",
    strength: "M",
    words:
      "A registry can register, get, list, unregister and clear; anyone may create one, and one process-wide instance remains for older code.",
  },
  {
    id: "C18",
    strength: "M",
    words:
      "Tools load from three layers, bundled, then user, then project; a later layer replaces an earlier tool of the same name.",
    note: "A locked name is replaced only by a tool with the same parameters and envelope; a replacement asks for approval anew. The folders are `$XDG_CONFIG_HOME/toolkeep/tools` and `.toolkeep/tools`.",
  },
  {
    id: "C19",
    strength: "M",
    words:
      "Which layer a tool came from shows in inspection and in every event, and is never saved in the manifest.",
  },
  {
    id: "C20",
    strength: "M",
    words: "Tools have no order: nothing declares one and nothing depends on one.",
  },
  {
    id: "C21",
    strength: "M",
    words:
      "A tool is initialised, activated, deactivated (running calls finish, new ones are refused) and disposed, which may happen twice without harm.",
  },
  {
    id: "C22",
    strength: "M",
    words:
      "An invalid tool is left out with a diagnostic and the session continues; no tool can ask for more severity.",
  },
  {
    id: "C23",
    strength: "M",
    words:
      "Tools are reloaded only between turns: a reload waits until the running turn has ended or was cancelled.",
  },
  {
    id: "C24",
    strength: "M",
    words:
      "A tool may keep state in one slot of its own, or declare none; it cannot reach another tool's slot.",
  },
  {
    id: "C25",
    strength: "M",
    words:
      "User tools load at start (files that begin with `_` are passed over), a workspace's tools on entry, and leaving it removes only those.",
  },
  { id: "C26", strength: "M", words: "The name a tool registers under need not be the name of its file." },
  { id: "C27", strength: "M", words: "No project tool is loaded before the project is trusted." },
  {
    id: "C28",
    strength: "M",
    words: "Every loaded tool can be called; an allow list decides only which calls go without a prompt.",
  },
]);

const DEFINITIONS = rowsOf("Definitions for the model", [
  {
    id: "C29",
    strength: "M",
    words:
      "A tool becomes an OpenAI function definition, with a list of required arguments where one is given.",
  },
  {
    id: "C30",
    strength: "M",
    words:
      "In strict form a definition is marked strict and closed to extra properties; MCP tools are left as they are.",
  },
  { id: "C31", strength: "M", words: "Definitions can be built for the allowed tools alone." },
  {
    id: "C32",
    strength: "M",
    words: "For models without function calling the same tools are described as text, plan mode included.",
  },
  {
    id: "C33",
    strength: "M",
    words:
      "An allow list expands by exact name, by prefix, and by the sanitised prefix of an MCP server (`browser` covers `mcp_browser_*`).",
  },
  {
    id: "C34",
    strength: "M",
    words: "One function tells whether a tool's name is covered by an allow list.",
  },
]);

/** C1 to C34: what a tool is, where it is kept, and what the model sees of it. */
export const CONTRACT_ROWS: readonly Row[] = [...CONTRACT, ...REGISTRY, ...DEFINITIONS];
