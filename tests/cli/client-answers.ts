import type { HookAnswer, HookClientName, HookVerdict } from "../../packages/cli/src/clients/hook-call.ts";
import { answered, blocked } from "../../packages/cli/src/hooks/answer/blocked.ts";
import { HOOKS } from "../../packages/cli/src/hooks/read/hooks-of-clients.ts";
import { recordedSections } from "./recorded-section.ts";

/** What a hook has decided, before it is said in the words of a client. */
type Said = "leave" | "allow" | "replace" | "ask" | "deny" | "fail";

/** What a client does with one of our answers. */
interface AnsweredEvent {
  readonly event: string;
  readonly said: Said;
  readonly happens: string;
}

interface ClientAnswers {
  readonly title: string;
  /** What this was seen with, and when. */
  readonly seen: string;
  /** What replaces the input of a tool, where it can be replaced. */
  readonly input?: Readonly<Record<string, unknown>>;
  readonly rows: readonly AnsweredEvent[];
}

/** More clients are more entries. */
export const CLIENT_ANSWERS: Readonly<Record<HookClientName, ClientAnswers>> = {
  "claude-code": {
    title: "Claude Code",
    seen: "Version 2.1.325, run against a scripted model on 15 November 2026.",
    input: { command: "COMMAND", description: "…" },
    rows: [
      row("PreToolUse", "leave", "The client decides by its own rules, its mode and its classifier."),
      row(
        "PreToolUse",
        "allow",
        "It runs. The client's own deny and ask entries apply first, and in `plan` it is not enough. We say it only where a rule of the user allows the call.",
      ),
      row("PreToolUse", "replace", "The other command runs. The screen and the model keep the first one."),
      row("PreToolUse", "ask", "A dialog in every mode at a terminal; refused without one."),
      row("PreToolUse", "deny", "Refused in every mode. The model gets the reason."),
      row("PreToolUse", "fail", "Refused. The model gets the reason."),
      row("PermissionRequest", "leave", "The client shows its dialog."),
      row("PermissionRequest", "deny", "Refused without a dialog."),
      row("PostToolUse", "leave", "Nothing. The log says `ran`, or `started` for one in the background."),
      row("PostToolUseFailure", "leave", "Nothing. The log says `failed`."),
      row(
        "PermissionDenied",
        "leave",
        "Nothing. The log says `refused`, and what the call would have read does not count.",
      ),
    ],
  },
  cursor: {
    title: "Cursor",
    seen: "From its documentation, read in November 2026; not run.",
    rows: [
      row("beforeShellExecution", "allow", "The client runs it as its own settings say."),
      row("beforeShellExecution", "ask", "The client asks its user."),
      row("beforeShellExecution", "deny", "Refused. The user and the model get the reason."),
      row("beforeShellExecution", "fail", "Refused."),
      row("beforeMCPExecution", "allow", "The client runs it as its own settings say."),
      row("beforeMCPExecution", "ask", "The client asks its user."),
      row("beforeMCPExecution", "deny", "Refused."),
      row("beforeReadFile", "allow", "The file is read."),
      row("beforeReadFile", "deny", "Refused. What asks is denied here, with the rule to add."),
      row("preToolUse", "allow", "The client continues."),
      row("preToolUse", "deny", "Refused. What asks is denied here, with the rule to add."),
    ],
  },
  "gemini-cli": {
    title: "Gemini CLI",
    seen: "Version 0.61.0, run without a terminal against a scripted model on 15 November 2026.",
    input: { command: "COMMAND", description: "…" },
    rows: [
      row("BeforeTool", "leave", "The client decides by its own policy."),
      row("BeforeTool", "allow", "The client still decides by its own policy."),
      row("BeforeTool", "replace", "The other command runs, if the client's own policy allows that one."),
      row(
        "BeforeTool",
        "ask",
        "Without a terminal it does not run; at one the client asks, by its documentation.",
      ),
      row("BeforeTool", "deny", "Refused. The model gets the reason."),
      row("BeforeTool", "fail", "Refused. The model gets the reason."),
    ],
  },
  codex: {
    title: "Codex",
    seen: "Version 0.166.0, run against a scripted model on 15 and 16 November 2026.",
    input: { command: "COMMAND" },
    rows: [
      row(
        "PreToolUse",
        "leave",
        "The client continues as without a hook: its sandbox, its rules, its questions.",
      ),
      row("PreToolUse", "allow", "The same: we say nothing, because its hooks cannot permit anything."),
      row(
        "PreToolUse",
        "replace",
        "The other command runs, in all modes that were tried. Its prompts show it; the model keeps the first one.",
      ),
      row(
        "PreToolUse",
        "ask",
        "Refused: its hooks cannot ask. The model gets the question and the rule to add.",
      ),
      row("PreToolUse", "deny", "Refused in every mode, also without approvals and sandbox."),
      row("PreToolUse", "fail", "Refused. The model gets the reason."),
      row("PermissionRequest", "leave", "The client asks its user."),
      row("PermissionRequest", "deny", "Refused without a question."),
      row("PermissionRequest", "fail", "Refused without a question."),
      row(
        "PostToolUse",
        "leave",
        "Nothing. The log says `ran`; with confined commands, it says how the command ended.",
      ),
    ],
  },
  copilot: {
    title: "Copilot CLI",
    seen: "Version 1.0.102, run against a scripted model on 16 November 2026.",
    input: { command: "COMMAND", description: "…" },
    rows: [
      row("preToolUse", "leave", "The client's own rules and its user decide."),
      row("preToolUse", "allow", "The same: we never say `allow`, so that the client's own rules decide."),
      row("preToolUse", "replace", "The other command runs. The client's own rules are applied to it."),
      row(
        "preToolUse",
        "ask",
        "A dialog with the reason at a terminal; refused with `-p` and over the Agent Client Protocol (`--acp`). The model gets the reason.",
      ),
      row("preToolUse", "deny", "Refused. The model gets the reason."),
      row("preToolUse", "fail", "Refused."),
    ],
  },
  opencode: {
    title: "opencode",
    seen: "Version 1.18.33, run without a terminal and over the Agent Client Protocol, against a scripted model, on 15 and 16 November 2026. The plugin that `install` writes gets the answer.",
    input: { command: "COMMAND", description: "…" },
    rows: [
      row("tool.execute.before", "leave", "The client's own permissions decide."),
      row("tool.execute.before", "allow", "The same."),
      row(
        "tool.execute.before",
        "replace",
        "The plugin changes the command. The other command runs, and the model sees it.",
      ),
      row(
        "tool.execute.before",
        "ask",
        "Refused: a plugin cannot ask. The model gets the question and the rule to add.",
      ),
      row("tool.execute.before", "deny", "The plugin throws: refused. The model gets the reason."),
      row("tool.execute.before", "fail", "The plugin throws: refused. The model gets the reason."),
    ],
  },
};

function row(event: string, said: Said, happens: string): AnsweredEvent {
  return { event, said, happens };
}

/** Our answer, as the program gives it. */
export function answerTo(client: HookClientName, { event, said }: AnsweredEvent): HookAnswer {
  if (said === "fail") return blocked("REASON");
  const { input } = CLIENT_ANSWERS[client];
  const verdict: HookVerdict = {
    action: said === "replace" ? "allow" : said === "leave" ? "none" : said,
    reason: "REASON",
    ...(said === "replace" && input !== undefined ? { input } : {}),
  };
  return answered(HOOKS[client].answer(verdict, { hook_event_name: event }));
}

const NAMES: Readonly<Record<Said, string>> = {
  leave: "leaves it to the client",
  allow: "allows",
  replace: "allows in our sandbox",
  ask: "asks",
  deny: "denies",
  fail: "cannot decide",
};

/** The page `docs/reference/clients.md`. */
export function clientsPage(): string {
  const sections = Object.entries(CLIENT_ANSWERS).map(([client, answers]) =>
    section(client as HookClientName, answers),
  );
  return `${[
    "<!-- biome-ignore-all format: aligned tables would change as a whole with every row -->",
    "# What clients do with our answers",
    "Written by `npm run clients-page -- --write`: the answers are those of the program, and what happens was seen with the clients themselves, as each section says. `REASON` stands for our text, `COMMAND` for another command. How our decisions become answers in the modes of a client is in [decision 58](../decisions/0058-what-a-hook-answers-in-which-mode.md).",
    ...sections,
    ...recordedSections((client) => CLIENT_ANSWERS[client as HookClientName].title),
  ].join("\n\n")}\n`;
}

function section(client: HookClientName, { title, seen, rows }: ClientAnswers): string {
  const lines = rows.map((one) => {
    const { stdout, exitCode } = answerTo(client, one);
    const answer = exitCode === 2 ? "exit code 2, the reason on standard error" : `\`${stdout.trim()}\``;
    return `| \`${one.event}\` | ${NAMES[one.said]} | ${answer} | ${one.happens} |`;
  });
  const head = ["| event | Toolkeep | our answer | what happens |", "| --- | --- | --- | --- |"];
  return [`## ${title}`, `\`toolkeep hook ${client}\`. ${seen}`, [...head, ...lines].join("\n")].join("\n\n");
}
