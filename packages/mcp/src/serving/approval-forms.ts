import { ProtocolError } from "@modelcontextprotocol/server";
import {
  type GivenAnswer,
  type PersonRequest,
  type Session,
  type SessionEvent,
  ToolkeepError,
} from "@toolkeep/core";
import { harmlessText } from "@toolkeep/core/internal";
import type { ApprovalQueue } from "./approval-queue.ts";
import { turnOfRequest } from "./call-key.ts";
import type { CallingClient } from "./calling-client.ts";
import { headlessRejection } from "./headless-rejection.ts";
import { type LeftAnswer, LeftAnswers, type TakeAnswers } from "./left-answers.ts";
import { answerOf, formOf, isSignedOnly } from "./person-form.ts";
import type { ServedCall } from "./served-call.ts";

/** How approvers are reached. */
export interface ApprovalFormsOptions {
  readonly queue: ApprovalQueue;
  /** Delivers the answers that were given elsewhere. Without it there is no other way to answer. */
  readonly takeAnswers: TakeAnswers | undefined;
  /** Who answers forms, if that was verified. */
  readonly person: string | undefined;
  find(turnId: string): ServedCall | undefined;
  onNote(note: string): void;
}

/** Forwards the questions of calls to approvers, and their answers to the session: from a client's form or elsewhere. */
export class ApprovalForms {
  readonly #session: Session;
  readonly #options: ApprovalFormsOptions;
  readonly #watch: SessionWatch;
  readonly #left: LeftAnswers | undefined;
  readonly #unsubscribe: () => void;

  constructor(session: Session, options: ApprovalFormsOptions) {
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

  /** Follows the session's events, until the returned function is called. */
  watch(): () => void {
    return this.#watch.hold();
  }

  /** Polls for answers from any channel, until the returned function is called. */
  attend(): () => void {
    const stops = [this.#watch.hold(), this.#left?.wait()];
    return () => {
      for (const stop of stops) stop?.();
    };
  }

  /** Sends the open requests of a call to everyone who can answer them. A client that retries handles its own. */
  async ask(call: ServedCall, client: CallingClient): Promise<void> {
    await this.#left?.look();
    await this.#reconcile(call);
    if (client.asking === "form") {
      for (const request of call.requests)
        if (!isSignedOnly(request) && !call.forms.has(request.id, client.id))
          this.#unwatched(this.#show(request, call, client));
    } else if (this.#left === undefined && !call.hasReachableApprover) await this.#refuse(call);
  }

  /** A client has returned with its user's answers. */
  async welcome(call: ServedCall, { returning, name }: CallingClient): Promise<void> {
    for (const request of call.requests) {
      const response = returning?.responses[request.id];
      if (response !== undefined)
        await this.#give(request, answerOf(request, response, this.#approverAt(name)), call);
    }
  }

  /** Whether an approver can be reached. */
  #raise(request: PersonRequest, signal: AbortSignal): boolean {
    const call = this.#options.find(turnOfRequest(request.id));
    const isReachable = this.#left !== undefined || call?.hasReachableApprover === true;
    if (isReachable) call?.raise(request, signal);
    return isReachable;
  }

  /** Shows a form to the client's user. The answer is valid even after the client received `pending`. */
  async #show(request: PersonRequest, call: ServedCall, client: CallingClient): Promise<void> {
    const needless = call.forms.open(request.id, client.id);
    try {
      const result = await client.showForm({ mode: "form", ...formOf(request) }, needless);
      await this.#give(request, answerOf(request, result, this.#approverAt(client.name)), call);
    } catch (error) {
      // A client that disconnected gave no answer; one that answers with an error cannot show forms, whatever it claims.
      if (needless.aborted || !ProtocolError.isInstance(error)) return;
      this.#options.onNote(`A client could not ask its user: ${harmlessText(error.message)}`);
      call.hasReachableApprover = false;
      if (this.#left === undefined) await this.#refuse(call);
    } finally {
      call.forms.forget(request.id, client.id);
    }
  }

  /** No approver can be reached. */
  async #refuse(call: ServedCall): Promise<void> {
    for (const request of call.requests)
      await this.#give(request, "questions" in request ? [] : headlessRejection(request), call);
  }

  async #give(request: PersonRequest, answer: GivenAnswer, call: ServedCall): Promise<void> {
    await this.#answer(request.id, answer);
    await this.#reconcile(call);
  }

  /**
   * A parked call records the answer. A call in the middle of its work would continue at once, which it may only while
   * a client waits for it: until then the answer stays where it was given.
   */
  async #deliver({ requestId, answer }: LeftAnswer): Promise<boolean> {
    const call = this.#options.find(turnOfRequest(requestId));
    if (call?.hasBegun && call.followers === 0) return false;
    try {
      await this.#session.answer(requestId, answer);
    } catch (error) {
      // Answered elsewhere first, or the answer does not fit. Any other error may be temporary, and the answer is kept.
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
      // Answered elsewhere first, or the answer does not fit: the request stays open.
      const note = ToolkeepError.isInstance(error) ? error.message : "An answer could not be recorded.";
      this.#options.onNote(note);
    }
  }

  /** What the journal records as answered is answered, by whichever channel. */
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

  #approverAt(client: string): string {
    return this.#options.person ?? `user of ${client}`;
  }

  /** No caller waits for this, and an error must not end the process. */
  #unwatched(work: Promise<void>): void {
    work.catch(() => this.#options.onNote("Checking for approval answers failed."));
  }
}

/** Follows a session's events while a listener needs them. Without listeners events are not created, and cost nothing. */
class SessionWatch {
  readonly #session: Session;
  readonly #tell: (event: SessionEvent) => void;
  #events: AsyncIterableIterator<SessionEvent> | undefined;
  #holders = 0;

  readonly #onNote: (note: string) => void;

  constructor(session: Session, tell: (event: SessionEvent) => void, onNote: (note: string) => void) {
    this.#session = session;
    this.#tell = tell;
    this.#onNote = onNote;
  }

  /** Listens from now on, until the returned function is called. */
  hold(): () => void {
    this.#holders += 1;
    if (this.#events === undefined) {
      this.#events = this.#session.events();
      this.#follow(this.#events).catch(() => this.#onNote("The session's events are no longer received."));
    }
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holders -= 1;
      if (this.#holders === 0) this.#stop();
    };
  }

  #stop(): void {
    const events = this.#events;
    this.#events = undefined;
    events?.return?.().catch(() => {});
  }

  async #follow(events: AsyncIterableIterator<SessionEvent>): Promise<void> {
    for await (const event of events) this.#tell(event);
  }
}
