import { leaveAnswer, userName } from "../approvals/leave-answer.ts";
import { EXIT } from "../terminal/command-error.ts";
import { type CommonOptions, openTerminal } from "../terminal/terminal.ts";

export interface RejectOptions extends CommonOptions {
  readonly id: string;
  readonly words: readonly string[];
  readonly by?: string;
}

/** `toolkeep reject ID [WORDS]`. */
export async function rejectCommand(options: RejectOptions): Promise<number> {
  const { id, words, by = userName() } = options;
  const terminal = openTerminal(options);
  const text = words.join(" ");
  await leaveAnswer({
    id,
    terminal,
    answerTo(request) {
      if ("questions" in request) {
        if (text !== "")
          terminal.note("A question takes no words: the tool learns that nothing was answered.");
        return { given: request.questions.map(() => []), said: "Left without an answer." };
      }
      const given = {
        verdict: "reject",
        by,
        ...(text === "" ? {} : { words: `A person rejected this: ${text}` }),
      } as const;
      return { given, said: "Rejected." };
    },
  });
  return EXIT.ok;
}
