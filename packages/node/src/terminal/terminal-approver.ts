import type { Readable, Writable } from "node:stream";
import type { Approver } from "@toolkeep/core";
import { assertKnownKeys, terminalText } from "@toolkeep/core/internal";
import { osUser } from "../user/os-user.ts";
import { askApproval } from "./ask-approval.ts";
import { askQuestions } from "./ask-questions.ts";
import { Keyboard, type KeyInput, type ScreenOutput } from "./keyboard.ts";

/** Options of {@link terminalApprover}. */
export interface TerminalApproverOptions {
  /** Where answers are typed. Default: standard input. */
  readonly input?: Readable & { readonly isTTY?: boolean };
  /** Where questions are shown. Default: standard error, so that standard output stays free for data. */
  readonly output?: Writable & { readonly isTTY?: boolean };
}

/**
 * An approver that asks the user of this terminal. It shows what the call does, why policy asks, and what an answer
 * would save, and takes one key: `y` (this time), `s` or `p` (always, for the session or the project, where that can be
 * remembered), `n`, `w` (no, with a reason for the model) or `?`. Ctrl-C rejects. Requests come one at a time. What was
 * typed before a request is shown, or is pasted, does not answer it, and neither does Enter. A request that cannot be
 * shown as a whole cannot be approved. Where standard input or error is not a terminal, it asks nothing and rejects.
 *
 * @example
 * await using session = await createSession({ tools, policy, approver: terminalApprover() });
 */
export function terminalApprover(options: TerminalApproverOptions = {}): Approver {
  assertKnownKeys(options, ["input", "output"] satisfies (keyof TerminalApproverOptions)[], "option");
  const input: KeyInput = options.input ?? process.stdin;
  const output: ScreenOutput = options.output ?? process.stderr;
  let last: Promise<unknown> = Promise.resolve();
  const oneAtATime = <Result>(ask: (keyboard: Keyboard) => Promise<Result>, signal: AbortSignal) => {
    const next = last.then(async () => {
      signal.throwIfAborted();
      using keyboard = new Keyboard(input, output);
      return await ask(keyboard);
    });
    last = next.catch(() => undefined);
    return next;
  };
  const isInteractive = () => input.isTTY === true && output.isTTY === true;
  return Object.freeze<Approver>({
    user: osUser().user,
    async approve(request, signal) {
      if (!isInteractive()) return { verdict: "reject", message: NOT_INTERACTIVE, by: BY };
      if (request.needs !== undefined) {
        output.write(`${terminalText([...request.lines, SIGNED_ONLY].join("\n"))}\n`);
        return "later";
      }
      const answer = await oneAtATime(
        (keyboard) => askApproval(request, { keyboard, output, signal, by: BY }),
        signal,
      );
      return typeof answer === "string" ? { verdict: "reject", by: BY } : answer;
    },
    async answer(request, signal) {
      if (!isInteractive()) return [];
      return oneAtATime((keyboard) => askQuestions(request, { keyboard, output, signal }), signal);
    },
  });
}

const SIGNED_ONLY =
  "It waits for their signatures: toolkeep approvals approve ID --sign. `toolkeep approvals` shows the ID.";
const BY = "terminal";
const NOT_INTERACTIVE = "Approval is required, but this is not an interactive terminal.";
