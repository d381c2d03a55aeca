import type { ApprovalAnswer, ApprovalRequest, Approver } from "../contract/approval/approval.ts";
import type { QuestionAnswers, QuestionRequest } from "../contract/people/question.ts";

/** What a scripted approver says: one answer for all, one for each request, or whatever a function makes of it. */
export type Script =
  | ApprovalAnswer["verdict"]
  | "later"
  | readonly (ApprovalAnswer | "later")[]
  | ((request: ApprovalRequest) => ApprovalAnswer | "later" | Promise<ApprovalAnswer | "later">);

/** An approver that answers from a script, with a record of its requests. */
export interface ScriptedApprover extends Approver {
  /** Every request so far, in order. */
  readonly requests: readonly ApprovalRequest[];
  readonly questions: readonly QuestionRequest[];
}

/** An approver that follows a script and remembers what it was asked. */
export function scriptedApprover(
  script: Script,
  answers?: (request: QuestionRequest) => QuestionAnswers | "later",
): ScriptedApprover {
  const requests: ApprovalRequest[] = [];
  const questions: QuestionRequest[] = [];
  return {
    requests,
    questions,
    async approve(request) {
      requests.push(request);
      if (typeof script === "function") return script(request);
      if (script === "later") return "later";
      if (typeof script === "string")
        return {
          verdict: script,
          ...(script === "edit" ? { arguments: {} } : {}),
          by: "script",
        } as ApprovalAnswer;
      const next = script[requests.length - 1];
      if (next === undefined) throw new Error(`The script has no answer to request ${requests.length}.`);
      return next;
    },
    ...(answers === undefined
      ? {}
      : {
          async answer(request: QuestionRequest) {
            questions.push(request);
            return answers(request);
          },
        }),
  };
}
