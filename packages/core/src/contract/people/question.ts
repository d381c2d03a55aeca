import type { JsonSchema } from "../call/schema-type.ts";
import type { Principal } from "./principal.ts";

/** One structured question to the user. */
export interface Question {
  readonly question: string;
  readonly header?: string;
  readonly options?: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect?: boolean;
  /** For approvers that show forms. The question says the same and may be answered without it. */
  readonly field?: QuestionField;
}

/** The field of a form that an answer fills in. */
export interface QuestionField {
  /** What the form calls it: another name for each question that is asked together. */
  readonly name: string;
  /**
   * The value it takes: a text, a number, a boolean, or some of several texts, with its title, default and choices.
   * The answer is given in texts all the same: `"true"`, `"7"`, each choice by its value or its label.
   */
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

/**
 * One list of answers for each question, in order; a list may be empty. No list at all means that there was no answer,
 * which a tool must not take for one.
 */
export type QuestionAnswers = readonly (readonly string[])[];

/** Questions of a tool to the user, which wait for an answer. */
export interface QuestionRequest {
  readonly id: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly toolName: string;
  /** From the root agent to the subagent that asks; missing for the root agent itself. */
  readonly agents?: readonly string[];
  /** On whose behalf the tool runs. Missing for questions of `init`, and of earlier releases. */
  readonly principal?: Principal;
  readonly questions: readonly Question[];
}
