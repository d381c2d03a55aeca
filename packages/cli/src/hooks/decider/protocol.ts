import type { Environment, HookAnswer, HookClientName } from "../../clients/hook-call.ts";

/** Only the hook client and the decider of the same program talk to each other. */
export const PROTOCOL = 1;

/** What a hook client asks. */
export interface DeciderRequest {
  readonly protocol: typeof PROTOCOL;
  /** The stamp of the program's file. */
  readonly program: string;
  /** Which files the paths of the client stand for, and its user and groups: compared, never believed. */
  readonly view: string;
  readonly cwd: string;
  readonly environment: Environment;
  readonly client: HookClientName;
  readonly folder?: string | undefined;
  readonly policyFile?: string | undefined;
  /** The standard input. */
  readonly text: string;
}

/** A starting decider asks whether another one answers. */
export const PING = { ping: true } as const;

/** `accepted` comes before the decision: without it, the client decides by itself. After it only an answer is valid. */
export type DeciderReply =
  | { readonly kind: "accepted" }
  | { readonly kind: "pong" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "answer"; readonly answer: HookAnswer };

/** A larger payload is decided in process. */
export const MOST_REQUEST_BYTES = 8_000_000;
export const MOST_REPLY_BYTES = 64_000_000;
