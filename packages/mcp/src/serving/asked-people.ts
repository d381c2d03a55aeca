import { ProtocolError } from "@modelcontextprotocol/server";
import {
  type ApprovalAnswer,
  type GivenAnswer,
  type PersonRequest,
  type Session,
  type SessionEvent,
  ToolkeepError,
} from "@toolkeep/core";
import { harmlessText } from "@toolkeep/core/internal";
import { signApproval } from "@toolkeep/core/policy";
import type { ApprovalQueue } from "./approval-queue.ts";
import { turnOfRequest } from "./call-key.ts";
import type { CallingClient } from "./calling-client.ts";
import { headlessRejection } from "./headless-rejection.ts";
import { type LeftAnswer, LeftAnswers, type TakeAnswers } from "./left-answers.ts";
import { answerOf, formOf } from "./person-form.ts";
import type { ServedCall } from "./served-call.ts";
import { SessionWatch } from "./session-watch.ts";

/** How people are reached. */
export interface AskedPeopleOptions {
  readonly queue: ApprovalQueue;
  /** Gives the answers that were left elsewhere. Missing: nobody answers elsewhere. */
  readonly takeAnswers: TakeAnswers | undefined;
  /** Seals what people say through clients, where the session wants that. */
  readonly approvalSecret: string | undefined;
  find(turnId: string): ServedCall | undefined;
  onNote(note: string): void;
}

const FORM_MS = 3_600_000;

/** Puts what calls ask to people, and brings their answers back: from a client's form, or from elsewhere. */
export class AskedPeople {
  readonly #session: Session;
  readonly #options: AskedPeopleOptions;
  readonly #watch: SessionWatch;
  readonly #left: LeftAnswers | undefined;
  readonly #unsubscribe: () => void;

  constructor(session: Session, options: AskedPeopleOptions) {
    this.#session = session;
    this.#options = options;
    this.#watch = new SessionWatch(session, (event) => this.#see(event), options.onNote);
    const { takeAnswers: take, queue, onNote } = options;
    const give = (left: LeftAnswer) => this.#deliver(left);
    this.#left = take === undefined ? undefined : new LeftAnswers({ take, give, onNote });
    this.#unsubscribe = queue.subscribe({
      approve: (request, signal) => (this.#raise(request, signal) ? "later" : headlessRejection(request)),
      answer: (request, signal) => this.#raise(request, signal),
    });
  }

  close(): void {
    this.#unsubscribe();
  }

  /** Follows what the session tells of its calls, until the returned function is called. */
  watch(): () => void {
    return this.#watch.hold();
  }

  /** Looks for answers, wherever they come from, until the returned function is called. */
  attend(): () => void {
    const stops = [this.#watch.hold(), this.#left?.wait()];
    return () => {
      for (const stop of stops) stop?.();
    };
  }

  /** Puts the open requests of a call to whoever can answer them. Those of a client that comes again are its own matter. */
  async ask(call: ServedCall, client: CallingClient): Promise<void> {
    await this.#left?.look();
    await this.#reconcile(call);
    if (client.asking === "form") {
      for (const request of call.requests)
        if (!call.forms.has(request.id, client.id)) this.#unwatched(this.#show(request, call, client));
    } else if (this.#left === undefined && !call.hasReachablePerson) await this.#refuse(call);
  }

  /** A client is back, with what its person said. */
  async welcome(call: ServedCall, { returning, name }: CallingClient): Promise<void> {
    for (const request of call.requests) {
      const response = returning?.responses[request.id];
      if (response !== undefined)
        await this.#give(request, answerOf(request, response, personAt(name)), call);
    }
  }

  /** Whether somebody may answer it. */
  #raise(request: PersonRequest, signal: AbortSignal): boolean {
    const call = this.#options.find(turnOfRequest(request.id));
    const isReachable = this.#left !== undefined || call?.hasReachablePerson === true;
    if (isReachable) call?.raise(request, signal);
    return isReachable;
  }

  /** Shows a form to the client's person. Its answer counts also after the client was told `pending`. */
  async #show(request: PersonRequest, call: ServedCall, client: CallingClient): Promise<void> {
    const needless = call.forms.open(request.id, client.id);
    try {
      const result = await client.showForm({ mode: "form", ...formOf(request) }, needless);
      await this.#give(request, answerOf(request, result, personAt(client.name)), call);
    } catch (error) {
      // One that has gone said nothing; one that answers with an error cannot show forms, whatever it claims.
      if (needless.aborted || !ProtocolError.isInstance(error)) return;
      this.#options.onNote(`A client could not ask its person: ${harmlessText(error.message)}`);
      call.hasReachablePerson = false;
      if (this.#left === undefined) await this.#refuse(call);
    } finally {
      call.forms.forget(request.id, client.id);
    }
  }

  /** Nobody is there to answer. */
  async #refuse(call: ServedCall): Promise<void> {
    for (const request of call.requests)
      await this.#give(request, "questions" in request ? [] : headlessRejection(request), call);
  }

  async #give(request: PersonRequest, answer: GivenAnswer, call: ServedCall): Promise<void> {
    const { approvalSecret: secret } = this.#options;
    if (secret === undefined || "questions" in request) await this.#answer(request.id, answer);
    else {
      const said = answer as ApprovalAnswer;
      const signature = { secret, approver: said.by ?? "person", expiresAt: Date.now() + FORM_MS };
      await this.#answer(request.id, await signApproval(request, said, signature));
    }
    await this.#reconcile(call);
  }

  /**
   * What is parked notes the answer. What is in the middle of its work would go on at once, which it may only while a
   * client waits for it: until then the answer stays where it was left.
   */
  async #deliver({ requestId, answer }: LeftAnswer): Promise<boolean> {
    const call = this.#options.find(turnOfRequest(requestId));
    if (call?.hasBegun && call.followers === 0) return false;
    try {
      await this.#session.answer(requestId, answer);
    } catch (error) {
      // Somebody was faster, or the answer does not fit. Any other fault may pass, and the answer is not lost by it.
      if (!ToolkeepError.isInstance(error) || error.code !== "answer_refused") throw error;
      this.#options.onNote(error.message);
    }
    if (call !== undefined) await this.#reconcile(call);
    return true;
  }

  async #answer(requestId: string, answer: GivenAnswer): Promise<void> {
    try {
      await this.#session.answer(requestId, answer);
    } catch (error) {
      // Somebody was faster, or the answer does not fit: then the request stays open.
      const words = ToolkeepError.isInstance(error) ? error.message : "An answer could not be given.";
      this.#options.onNote(words);
    }
  }

  /** What the journal holds to be answered is answered, whoever did it. */
  async #reconcile(call: ServedCall): Promise<void> {
    const open = new Set((await this.#session.waiting()).map(({ id }) => id));
    for (const { id } of call.requests) if (!open.has(id)) call.answered(id);
  }

  #see(event: SessionEvent): void {
    const call = this.#options.find(event.turn);
    if (call === undefined) return;
    if (event.type === "approval-answer" || event.type === "question-answer")
      call.answered(`${event.turn}/${event.id}`);
    if (event.type === "call-progress") call.listen(event.text, event.fraction);
    if (event.type === "call-update") call.listen(undefined, undefined);
    if (event.type === "events-drop") this.#unwatched(this.#reconcile(call));
  }

  /** Nobody waits for it, and a fault must not end the process. */
  #unwatched(work: Promise<void>): void {
    work.catch(() => this.#options.onNote("Whether a person has answered could not be found out."));
  }
}

function personAt(client: string): string {
  return `person at ${client}`;
}
