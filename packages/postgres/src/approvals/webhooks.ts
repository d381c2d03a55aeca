import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { WaitingRequest } from "@toolkeep/core";
import { assertKnownKeys, invalidOption, isTrustedAddress } from "@toolkeep/core/internal";
import { secretBytes, signWebhook } from "./sign-webhook.ts";
import type { WaitingListener } from "./waiting-watch.ts";

/** An address that is told when something begins to wait, by a message signed as Standard Webhooks says. */
export interface Webhook {
  /** `https:`, or `http:` on this machine. */
  readonly url: string;
  /** `whsec_` and the Base64 of 24 to 64 random bytes. */
  readonly secret: string;
}

interface Target {
  readonly url: string;
  readonly secret: Buffer;
}

/** How long it waits before each attempt. */
const ATTEMPTS_MS = [0, 1_000, 5_000, 30_000, 120_000];
const TIMEOUT_MS = 10_000;
/** To one target. */
const MOST_AT_ONCE = 8;

interface OutgoingMessage {
  readonly id: string;
  readonly body: string;
  /** Aborts when the request no longer waits. */
  readonly signal: AbortSignal;
}

/**
 * Sends each request that begins to wait to every webhook. The id of a message follows from the request: a second
 * message from another process, or after a restart, has the same, so that a receiver can tell.
 */
export class Webhooks implements WaitingListener {
  readonly #targets: readonly TargetQueue[];
  /** The messages that some target has not taken yet, by their ids. */
  readonly #unsent = new Map<string, AbortController>();

  constructor(webhooks: readonly Webhook[]) {
    this.#targets = webhooks.map((webhook) => new TargetQueue(targetOf(webhook)));
  }

  began(waiting: WaitingRequest): void {
    const id = messageId(waiting);
    const body = JSON.stringify(messageOf(waiting));
    const ended = new AbortController();
    this.#unsent.set(id, ended);
    const { signal } = ended;
    const sent = this.#targets.map((target) => target.deliver({ id, body, signal }));
    void Promise.allSettled(sent).then(() => {
      if (this.#unsent.get(id) === ended) this.#unsent.delete(id);
    });
  }

  /** What no longer waits is not sent any more. */
  ended(waiting: WaitingRequest): void {
    this.#unsent.get(messageId(waiting))?.abort();
  }

  close(): void {
    for (const ended of this.#unsent.values()) ended.abort();
  }
}

/** The messages for one webhook: one that does not answer delays no other. */
class TargetQueue {
  readonly #target: Target;
  readonly #waiting: (() => void)[] = [];
  #free = MOST_AT_ONCE;

  constructor(target: Target) {
    this.#target = target;
  }

  /** A message that waits for its next attempt keeps no other from being sent. */
  async deliver(message: OutgoingMessage): Promise<void> {
    const { signal } = message;
    for (const waitMs of ATTEMPTS_MS) {
      if (waitMs > 0) await pause(waitMs, undefined, { signal }).catch(() => undefined);
      if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else this.#free -= 1;
      const isOver = signal.aborted || (await this.#isTaken(message));
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
      if (isOver) return;
    }
  }

  async #isTaken({ id, body, signal }: OutgoingMessage): Promise<boolean> {
    const { url, secret } = this.#target;
    const timestamp = Math.floor(Date.now() / 1_000);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...signWebhook(secret, { id, timestamp, body }) },
        body,
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      // 410: the receiver wants no more of it.
      return response.ok || response.status === 410;
    } catch {
      return false;
    }
  }
}

function targetOf(webhook: Webhook): Target {
  assertKnownKeys(webhook, ["url", "secret"], "field of a webhook");
  const { url, secret } = webhook;
  if (!isTrustedAddress(url)) throw invalidOption("The `url` of a webhook must begin with https://.");
  return { url, secret: secretBytes(secret) };
}

function messageId({ sessionId, askedAt, request }: WaitingRequest): string {
  const text = JSON.stringify([sessionId, request.id, askedAt]);
  return `msg_${createHash("sha256").update(text).digest("base64url").slice(0, 32)}`;
}

/** What a user needs to know. The rest is asked for with a token. */
function messageOf({ sessionId, askedAt, expiresAt, request }: WaitingRequest): object {
  return {
    type: "approval.waiting",
    timestamp: new Date(askedAt).toISOString(),
    data: {
      sessionId,
      id: request.id,
      toolName: request.toolName,
      kind: "questions" in request ? "question" : "approval",
      ...("reason" in request ? { reason: request.reason } : {}),
      ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    },
  };
}
