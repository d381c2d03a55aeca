import type { QueuedCall } from "./stage.ts";
import type { Turn } from "./turn.ts";

const SHORTEST_GAP_MS = 50;

/** Partial results and progress of one call, at most twenty a second; the last one is never lost. */
export class Updates {
  readonly #call: QueuedCall;
  readonly #turn: Turn;
  #shownAt = Number.NEGATIVE_INFINITY;
  #held: string | undefined;

  constructor(call: QueuedCall, turn: Turn) {
    this.#call = call;
    this.#turn = turn;
  }

  update(partial: unknown): void {
    const now = performance.now();
    // Made into text at once: what is not JSON must fail in the tool, not later in a timer.
    const text = JSON.stringify(partial) ?? "null";
    if (now - this.#shownAt < SHORTEST_GAP_MS) this.#held = text;
    else this.#show(text, now);
  }

  /** Shown at once: what a subagent reports is not left out for what it reports next. */
  report(partial: unknown): void {
    this.flush();
    this.#show(JSON.stringify(partial) ?? "null", performance.now());
  }

  progress(text: string, fraction: number | undefined): void {
    const { recorder, redactor } = this.#turn.runtime;
    recorder.show(this.#turn.id, {
      type: "call-progress",
      callId: this.#call.id,
      tool: this.#call.found.name,
      text: redactor.redact(text),
      ...(fraction === undefined ? {} : { fraction }),
    });
  }

  tick(now: number): void {
    if (this.#held !== undefined && now - this.#shownAt >= SHORTEST_GAP_MS) this.flush(now);
  }

  /** Shows the update that was delayed. */
  flush(now = 0): void {
    const held = this.#held;
    if (held !== undefined) this.#show(held, now);
  }

  #show(text: string, now: number): void {
    this.#held = undefined;
    this.#shownAt = now;
    const { hooks, recorder, redactor } = this.#turn.runtime;
    const redacted = redactor.redactJson(text);
    const info = { toolName: this.#call.found.name, callId: this.#call.id, text: redacted };
    if (!hooks.allowsUpdate(info)) return;
    recorder.show(this.#turn.id, {
      type: "call-update",
      callId: info.callId,
      tool: info.toolName,
      partial: JSON.parse(redacted) as unknown,
    });
    hooks.afterUpdate(this.#turn, info);
  }
}
