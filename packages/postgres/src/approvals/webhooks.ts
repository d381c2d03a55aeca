import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { ToolkeepError, type WaitingRequest } from "@toolkeep/core";
import { assertKnownKeys, isTrustedAddress } from "@toolkeep/core/internal";
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
const MOST_AT_ONCE = 8;

/**
 * Sends each request that begins to wait to every webhook. The id of a message follows from the request: a second
 * message from another process, or after a restart, has the same, so that a receiver can tell.
 */
export class Webhooks implements WaitingListener {
  readonly #targets: readonly Target[];
  readonly #closing = new AbortController();
  readonly #ended = new Set<string>();
  readonly #queue: (() => Promise<void>)[] = [];
  #sending = 0;

  constructor(webhooks: readonly Webhook[]) {
    this.#targets = webhooks.map(targetOf);
  }

  began(waiting: WaitingRequest): void {
    const id = messageId(waiting);
    this.#ended.delete(id);
    for (const target of this.#targets) this.#queue.push(() => this.#deliver(target, id, waiting));
    this.#next();
  }

  /** What no longer waits is not sent any more. */
  ended(waiting: WaitingRequest): void {
    if (this.#sending > 0 || this.#queue.length > 0) this.#ended.add(messageId(waiting));
  }

  close(): void {
    this.#queue.length = 0;
    this.#closing.abort();
  }

  #next(): void {
    while (this.#sending < MOST_AT_ONCE) {
      const send = this.#queue.shift();
      if (send === undefined) break;
      this.#sending += 1;
      const sent = () => {
        this.#sending -= 1;
        this.#next();
      };
      // A message that cannot be made is not sent; the request waits in the store all the same.
      send().then(sent, sent);
    }
    if (this.#sending === 0) this.#ended.clear();
  }

  async #deliver(target: Target, id: string, waiting: WaitingRequest): Promise<void> {
    const body = JSON.stringify(messageOf(waiting));
    for (const waitMs of ATTEMPTS_MS) {
      if (waitMs > 0) await pause(waitMs, undefined, { signal: this.#closing.signal }).catch(() => undefined);
      if (this.#closing.signal.aborted || this.#ended.has(id)) return;
      if (await this.#isTaken(target, id, body)) return;
    }
  }

  async #isTaken({ url, secret }: Target, id: string, body: string): Promise<boolean> {
    const timestamp = Math.floor(Date.now() / 1_000);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...signWebhook(secret, { id, timestamp, body }) },
        body,
        redirect: "error",
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(TIMEOUT_MS)]),
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
  if (!isTrustedAddress(url))
    throw new ToolkeepError("invalid_option", "The `url` of a webhook must begin with https://.");
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
