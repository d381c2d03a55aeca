import type { Command } from "commander";
import { answerQuestion } from "../approvals/answer-question.ts";
import { addSuggestedRules } from "../approvals/approve-with-rules.ts";
import { openInbox } from "../approvals/open-inbox.ts";
import { byGateway, requestRecord, requestRows } from "../approvals/pending-requests.ts";
import { refuseUnsigned } from "../approvals/refuse-unsigned.ts";
import {
  answerLines,
  answerRecord,
  findAnswer,
  rememberedAnswers,
} from "../approvals/remembered-approvals.ts";
import { showRequest } from "../approvals/show-request.ts";
import { configuredApprovers, isSigned, type SigningOptions } from "../approvals/signing-options.ts";
import { assertTerminal, submitAnswer } from "../approvals/submit-answer.ts";
import { projectFolder } from "../project/project-folder.ts";
import { withStore } from "../project/store/with-store.ts";
import { CommandError, EXIT, usageError } from "../terminal/command-error.ts";
import { commandsOf, type Done, optionsOf } from "../terminal/command-line.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";
import { unsignedUser } from "../terminal/user-name.ts";

/** `toolkeep approvals` with its commands, and the old names of three of them. */
export function add(program: Command, done: Done): void {
  const list = (command: Command) => listOrAnswer(optionsOf(command), command.name() === "list");
  const parent = commandsOf(program, done)("approvals", list);
  const below = commandsOf(parent, done);
  below("list", list);
  below("show", async (command) => {
    const { id, ...options } = optionsOf<ListOptions & { readonly id: string }>(command);
    const terminal = openTerminal(options);
    return showRequest(id, { approvers: await configuredApprovers(terminal), terminal });
  });
  below("revoke", (command) => revoke(optionsOf(command)));
  addAnswers(parent, done);
  addAnswers(program, done);
}

function addAnswers(parent: Command, done: Done): void {
  const below = commandsOf(parent, done);
  below("approve", (command) => approve(optionsOf(command)));
  below("reject", (command) => reject(optionsOf(command)));
  below("answer", (command) => answerQuestion(optionsOf(command)));
}

async function listOrAnswer(options: ListOptions, isList: boolean): Promise<number> {
  if (options.always === true) return listRemembered(options);
  return (isList ? undefined : await openInbox(options)) ?? listRequests(options);
}

interface ListOptions extends CommonOptions {
  readonly watch?: boolean;
  readonly always?: boolean;
  readonly ended?: boolean;
  readonly project?: string;
}

async function listRemembered(options: ListOptions): Promise<number> {
  const terminal = openTerminal(options);
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const answers = await withStore(terminal.cwd, (store) =>
    rememberedAnswers(store.projectApprovals(project)),
  );
  terminal.show(answers.map(answerRecord), answers.flatMap(answerLines));
  terminal.note(
    answers.length === 0
      ? `No approvals are remembered for ${project}.`
      : "Run `toolkeep approvals revoke ID` to revoke one.",
  );
  return EXIT.ok;
}

interface RevokeOptions extends ListOptions {
  readonly ids: readonly string[];
  readonly all?: boolean;
}

async function revoke(options: RevokeOptions): Promise<number> {
  const { ids, all = false } = options;
  if (all === ids.length > 0)
    throw usageError(
      "Name the approvals to revoke, or use --all.",
      "Run `toolkeep approvals --always` to list them.",
    );
  const terminal = openTerminal(options);
  const project = await projectFolder({ project: options.project, cwd: terminal.cwd });
  const revoked = await withStore(terminal.cwd, (store) => {
    const approvals = store.projectApprovals(project);
    const answers = rememberedAnswers(approvals);
    const chosen = all ? answers : ids.map((id) => findAnswer(id, answers));
    for (const { entries } of chosen) for (const entry of entries) approvals.forget(entry);
    return chosen;
  });
  terminal.show(revoked.map(answerRecord), [
    ...revoked.flatMap(answerLines),
    revoked.length === 0 ? "There was nothing to revoke." : "Revoked. Such calls ask again from now on.",
  ]);
  return EXIT.ok;
}

async function listRequests(options: ListOptions): Promise<number> {
  const terminal = openTerminal(options);
  const { open, ended } = await withStore(terminal.cwd, async (store) =>
    byGateway(await store.waiting(), store.sessions()),
  );
  const all = [...open, ...ended];
  const pending = options.ended === true ? all : open;
  terminal.show(
    pending.map((one) => requestRecord(one, all)),
    pending.flatMap((one) => requestRows(one, all, true)),
  );
  if (pending.length === 0) terminal.note("There are no pending approvals.");
  if (ended.length > 0 && options.ended !== true)
    terminal.note(
      `Requests of gateways that have ended: ${ended.length}. \`toolkeep approvals --ended\` lists them; an answer applies if the client starts again within a day and the model repeats the call.`,
    );
  if (pending.some(({ request }) => !("questions" in request)))
    terminal.note("Run `toolkeep approvals approve ID` or `toolkeep approvals reject ID`.");
  if (pending.some(({ request }) => "questions" in request))
    terminal.note(
      "To answer questions, run `toolkeep approvals answer ID TEXT…` with one text for each, or `toolkeep approvals reject ID`.",
    );
  return EXIT.ok;
}

interface ApproveOptions extends SigningOptions {
  readonly project?: string;
}

async function approve(options: ApproveOptions): Promise<number> {
  const { id, always = false } = options;
  const by = unsignedUser();
  if (always && options.rule === true) throw usageError("--always and --rule cannot be combined.");
  if (await isSigned(options, "once")) return EXIT.ok;
  const terminal = openTerminal(options);
  if (options.rule === true) assertTerminal(terminal);
  const rules =
    options.rule === true
      ? await addSuggestedRules({ id, project: options.project, yes: options.yes }, terminal)
      : undefined;
  await submitAnswer({
    id,
    // The rules were confirmed already.
    yes: rules === undefined ? options.yes : true,
    terminal,
    answerTo(request) {
      if ("questions" in request) {
        throw new CommandError("This request is a question and cannot be approved.", {
          hint: "Run `toolkeep approvals answer ID TEXT…` with one text for each question, or `toolkeep approvals reject ID`.",
        });
      }
      refuseUnsigned(request);
      if (rules !== undefined)
        return {
          answer: { verdict: "rules", rules, by },
          question: "",
          message: "Approved, with these rules.",
        };
      if (always && !request.mayRemember) {
        throw new CommandError("This call asks every time, so its approval cannot be remembered.", {
          hint: "Run again without --always.",
        });
      }
      return always
        ? {
            answer: { verdict: "always", scope: "project", by },
            question: "Approve this call, and always in this project as described?",
            message: "Approved, and remembered for the project. `toolkeep approvals --always` lists it.",
          }
        : { answer: { verdict: "once", by }, question: "Approve this call once?", message: "Approved once." };
    },
  });
  return EXIT.ok;
}

interface RejectOptions extends SigningOptions {
  readonly reason: readonly string[];
}

async function reject(options: RejectOptions): Promise<number> {
  const { id, yes } = options;
  const by = unsignedUser();
  if (await isSigned(options, "reject")) return EXIT.ok;
  const terminal = openTerminal(options);
  const reason = options.reason.join(" ");
  await submitAnswer({
    id,
    yes,
    terminal,
    answerTo(request) {
      if ("questions" in request) {
        if (reason !== "")
          terminal.note("The reason is not used: the tool only learns that its questions have no answer.");
        return {
          answer: request.questions.map(() => []),
          question: "Leave these questions without an answer?",
          message: "Rejected without an answer.",
        };
      }
      const answer = {
        verdict: "reject",
        by,
        ...(reason === "" ? {} : { message: `An approver rejected this call: ${reason}` }),
      } as const;
      return { answer, question: "Reject this call?", message: "Rejected." };
    },
  });
  return EXIT.ok;
}
