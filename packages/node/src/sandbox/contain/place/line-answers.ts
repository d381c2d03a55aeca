import type { ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * Asks a process, which answers each line with a line, in their order; `undefined` once it has ended. `isAnswer` takes the
 * lines that it says by itself.
 */
export function lineAnswers(
  { stdin, stdout }: Pick<ChildProcess, "stdin" | "stdout">,
  isAnswer: (line: string) => boolean = () => true,
): (question: string) => Promise<string | undefined> {
  const waiting: ((line: string | undefined) => void)[] = [];
  let isOver = stdin === null || stdout === null;
  const end = () => {
    isOver = true;
    for (const answer of waiting.splice(0)) answer(undefined);
  };
  stdin?.on("error", end);
  if (stdout !== null)
    createInterface({ input: stdout })
      .on("line", (line) => isAnswer(line) && waiting.shift()?.(line))
      .on("close", end);
  return async (question) => {
    if (isOver) return undefined;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    waiting.push(resolve);
    stdin?.write(`${question}\n`);
    return promise;
  };
}
