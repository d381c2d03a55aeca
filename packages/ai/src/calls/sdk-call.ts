import { canonicalJson, webDigest } from "@toolkeep/core/internal";
import type { ModelMessage } from "ai";

/** One call from the SDK. */
export interface SdkCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Plain data; anything else was refused before. */
  readonly input: unknown;
  readonly messages: readonly ModelMessage[];
}

/** Up to this length, a claim is kept as it is. */
const LONGEST_CLAIM = 1_024;

/** Identifies a call with its tool and arguments: a client can write any id. */
export function claimOf(call: Pick<SdkCall, "toolCallId" | "toolName" | "input">): string | Promise<string> {
  const claim = JSON.stringify([call.toolCallId, bindingOf(call)]);
  return claim.length <= LONGEST_CLAIM ? claim : webDigest(new TextEncoder().encode(claim));
}

/** What an approval is bound to: the tool and its arguments. */
export function bindingOf({ toolName, input }: Pick<SdkCall, "toolName" | "input">): string {
  return canonicalJson([toolName, input]);
}
