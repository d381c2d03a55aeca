import type { Question, QuestionAnswers } from "@toolkeep/core";
import { unlessAborted } from "../link/unless-aborted.ts";
import type { OAuthOptions } from "./oauth-options.ts";

/** A user who can be asked during a call. */
export interface LoginUser {
  readonly signal: AbortSignal;
  /** `inPlace`: the call waits for the answer, and is not made again when it arrives. */
  ask(questions: readonly Question[], inPlace: true): Promise<QuestionAnswers>;
}

/** Whom a server can ask for a login. */
export class LoginUsers {
  /** A user who is not in a call of the server. */
  given: LoginUser | undefined;
  /** Whether a login was needed when no user was available. */
  isMissed = false;
  readonly #ofCall: () => Partial<LoginUser> | undefined;

  constructor(ofCall: () => Partial<LoginUser> | undefined) {
    this.#ofCall = ofCall;
  }

  /** The one to ask now. */
  get current(): LoginUser | undefined {
    const { ask, signal } = this.given ?? this.#ofCall() ?? {};
    return ask === undefined || signal === undefined ? undefined : { ask, signal };
  }
}

/** Says whether the user agrees to log in at a host. */
export type Confirm = (host: string) => Promise<boolean>;

const LOG_IN = "Log in";

/** How the user is asked to log in to a server; `undefined` if no user is available. */
export function confirmationOf(
  server: string,
  { confirm, approver, inCalls = false }: OAuthOptions,
  user: LoginUser | undefined,
): Confirm | undefined {
  if (confirm !== undefined) return (host) => confirm(host, server);
  if (inCalls && user !== undefined)
    return async (host) =>
      isYes(await unlessAborted(user.ask([questionOf(server, host)], true), user.signal));
  const answer = approver?.answer?.bind(approver);
  if (answer === undefined) return undefined;
  return async (host) => {
    const about = { id: `login/${server}`, sessionId: "", callId: `login/${server}`, toolName: server };
    const request = { ...about, questions: [questionOf(server, host)] };
    const answers = await answer(request, new AbortController().signal);
    return answers !== "later" && isYes(answers);
  };
}

function questionOf(server: string, host: string): Question {
  return {
    header: "Login",
    question: `The MCP server "${server}" requires a login at ${host}. Open the page in a browser on this machine?`,
    options: [{ label: LOG_IN }, { label: "Decline" }],
  };
}

function isYes([answer]: QuestionAnswers): boolean {
  return answer?.[0] === LOG_IN;
}
