import { type Row, rowsOf } from "./row.ts";

const CAPABILITIES = rowsOf("Capabilities", [
  {
    id: "C61",
    strength: "M",
    words:
      "Requirements cover paths to read, paths to write, hosts to reach, commands with their arguments, and further capabilities by name.",
  },
  {
    id: "C62",
    strength: "M",
    words: "A command's arguments are matched in order, each exactly, by prefix, or as any one argument.",
  },
  {
    id: "C63",
    strength: "M",
    words:
      "Patterns may use `{workspace}` (with the extra roots a manifest names), `{ad-hoc}` and `{user-data}`.",
  },
  {
    id: "C64",
    strength: "M",
    words: "A variable that stands for nothing grants nothing: calls that rely on it fail.",
  },
  { id: "C65", strength: "M", words: "An unknown variable is an error when the manifest is compiled." },
  {
    id: "C66",
    strength: "M",
    words:
      "An agent's requirements are its manifest's and all its tools' together; adding a tool needs no second entry.",
    note: "The union is cut by the ceiling of the host application, which is unlimited unless set.",
  },
  { id: "C67", strength: "M", words: "A tool acts on the world only through the typed I/O it is given." },
  {
    id: "C68",
    strength: "M",
    words:
      "A tool sees the environment values it declared and no others, nor anyone else's configuration or state.",
  },
  {
    id: "C69",
    strength: "M",
    words: "Arguments are not trusted: a tool checks them again before they reach a command or an address.",
  },
  { id: "C70", strength: "M", words: "Output is marked as untrusted context." },
]);

const AUTHORIZATION = rowsOf("Authorization", [
  {
    id: "C71",
    strength: "M",
    words: "Three independent layers in order: capability check, watchdogs, sandbox.",
    note: "Commands run in a sandbox of the operating system. File and network tools run in this process: their I/O checks each real path and host against the call's effects and the ceilings, and once more, by code that shares nothing with that check, against the folders and hosts that those name.",
  },
  { id: "C72", strength: "S", words: "One of the three can change while the other two stay as they are." },
  {
    id: "C73",
    strength: "M",
    words:
      "A watchdog looks at every call before it runs, knows tool, checked arguments, manifest and session, and may allow, deny with a reason, or ask; it never widens.",
  },
  {
    id: "C74",
    strength: "M",
    words:
      "A rule is a tool, a capability or `*`, a glob or prefix pattern, and an action; where no rule speaks, a person is asked.",
  },
  {
    id: "C75",
    strength: "M",
    words:
      "Rules come from manifest, session and project; the most specific decides, but a manifest deny is final.",
    note: "Tool rules and capability rules are evaluated separately, and the stricter decision applies.",
  },
  {
    id: "C76",
    strength: "M",
    words: "Without an approver, asking means denying; an answer is never invented.",
  },
  {
    id: "C77",
    strength: "M",
    words: "A gated call passes the stage machine, the mode and the guards; an ungated one skips approval.",
    note: "Ungated skips approval only: capability check, watchdogs and audit run for every call.",
  },
  {
    id: "C78",
    strength: "M",
    words:
      "Mode `ask` prompts and remembers, `allowlist` matches patterns and prompts on a miss, `yolo` neither prompts nor looks up.",
    note: "`yolo` skips prompts alone; denies and watchdogs still bind.",
  },
  {
    id: "C79",
    strength: "M",
    words:
      "An approval is remembered by tool and key as long as the session, unless its manifest is cleared; for a whole project only if enabled.",
    note: "The memory is also keyed by origin and definition, so a shadowed or changed tool asks again.",
  },
  {
    id: "C80",
    strength: "M",
    words: "Every prompt, also one at initialisation, goes through the one approver.",
  },
  {
    id: "C81",
    strength: "M",
    words:
      "Running a shell or code, deleting a file, committing and pushing are dangerous and call `on_approval_required` with name and parameters.",
  },
  {
    id: "C82",
    strength: "M",
    words: "A flag `allow_{tool}_{role}` permits a tool to a role, and one more switch guards running code.",
  },
  {
    id: "C83",
    strength: "M",
    words:
      "Five modes: read runs, safe_write runs with a diff shown, destructive runs with a way back, local asks, external runs and is logged.",
    note: "A mode gives the treatment on screen and the action of a call that no rule covers; deny beats ask beats allow. The way back is that of our tools, in workspaces with `contain`.",
  },
  {
    id: "C84",
    strength: "M",
    words:
      "A name's first word tells its mode: get, list, read, search; create, update, add, set; delete, remove, archive, drop; local, shell, exec.",
    note: "An unknown name is treated as external and asks; built-in tools declare their mode.",
  },
  {
    id: "C85",
    strength: "O",
    words: "An agent may carry its own lists of what to include and what to exclude.",
  },
]);

/** C61 to C85: what a call may do at most, and who decides. */
export const AUTHORITY_ROWS: readonly Row[] = [...CAPABILITIES, ...AUTHORIZATION];
