import { leaveAnswer } from "../approvals/leave-answer.ts";
import { questionAnswers } from "../approvals/question-answers.ts";
import { CommandError, EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

export interface AnswerOptions extends CommonOptions {
  readonly id: string;
  readonly texts: readonly string[];
}

/** `toolkeep answer ID TEXT…`: one text for each question of a tool. */
export async function answerCommand(options: AnswerOptions): Promise<number> {
  const { id, texts } = options;
  await leaveAnswer({
    id,
    terminal: openTerminal(options),
    answerTo(request) {
      if ("questions" in request)
        return { given: questionAnswers(request.questions, texts), said: "Answered." };
      throw new CommandError("This waits for a yes or a no, not for an answer.", {
        hint: "Say `toolkeep approve ID` or `toolkeep reject ID`.",
      });
    },
  });
  return EXIT.ok;
}
