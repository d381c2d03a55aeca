/** One structured question to the person. */
export interface Question {
  readonly question: string;
  readonly header?: string;
  readonly options?: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect?: boolean;
}

/** One list of answers for each question, in order. */
export type QuestionAnswers = readonly (readonly string[])[];

export interface QuestionRequest {
  readonly id: string;
  readonly callId: string;
  readonly toolName: string;
  readonly questions: readonly Question[];
}
