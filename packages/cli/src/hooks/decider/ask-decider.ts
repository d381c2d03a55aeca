import type { HookAnswer, HookClientName } from "../../clients/hook-call.ts";
import { net } from "../../terminal/builtin.ts";
import { isAnswer } from "../answer/check-answer.ts";
import { FrameReader } from "./frames.ts";
import { type DeciderReply, MOST_REPLY_BYTES } from "./protocol.ts";

/**
 * `missing`: nothing listens there. `silent`: it does not accept in time. `refused`: it does not decide this. In these
 * three cases nothing was decided, and the client decides by itself. `failed`: it accepted, and did not answer as it
 * should.
 */
export type Asked =
  | { readonly kind: "answer"; readonly answer: HookAnswer }
  | { readonly kind: "missing" | "silent" | "refused" }
  | { readonly kind: "failed"; readonly reason: string };

export interface Question {
  readonly path: string;
  /** The request, as a frame. */
  readonly frame: Buffer;
  readonly client: HookClientName;
  readonly acceptMs: number;
  readonly answerMs: number;
}

/** Asks the decider. Never throws. */
export function askDecider({ path, frame, client, acceptMs, answerMs }: Question): Promise<Asked> {
  return new Promise((resolve) => {
    const socket = net().connect(path);
    const reader = new FrameReader(MOST_REPLY_BYTES);
    let isAccepted = false;
    const done = (asked: Asked) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(asked);
    };
    let timer = setTimeout(() => done({ kind: "silent" }), acceptMs);
    const take = (reply: unknown) => {
      const read = readReply(reply, client);
      if (read === "accepted" && !isAccepted) {
        isAccepted = true;
        clearTimeout(timer);
        timer = setTimeout(() => done(failed("the decider took too long.")), answerMs);
      } else if (read === "refused" && !isAccepted) done({ kind: "refused" });
      else if (typeof read === "object" && isAccepted) done({ kind: "answer", answer: read });
      else done(failed("the answer of the decider is not valid."));
    };
    const ended = () =>
      done(isAccepted ? failed("the decider ended before it answered.") : { kind: "missing" });
    socket.on("error", ended).on("close", ended);
    socket.on("data", (piece: Buffer) => {
      try {
        for (const reply of reader.push(piece)) take(reply);
      } catch {
        done(failed("the answer of the decider is not valid."));
      }
    });
    socket.write(frame);
  });
}

function failed(reason: string): Asked {
  return { kind: "failed", reason };
}

function readReply(reply: unknown, client: HookClientName): "accepted" | "refused" | HookAnswer | undefined {
  if (typeof reply !== "object" || reply === null) return undefined;
  const { kind, answer } = reply as Partial<DeciderReply & { readonly answer: unknown }>;
  if (kind === "accepted" || kind === "refused") return kind;
  return kind === "answer" && isAnswer(answer, client) ? answer : undefined;
}
