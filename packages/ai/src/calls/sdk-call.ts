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

/** Identifies a call with its tool and arguments: a client can write any id. */
export async function claimOf(call: Pick<SdkCall, "toolCallId" | "toolName" | "input">): Promise<string> {
  return webDigest(new TextEncoder().encode(JSON.stringify([call.toolCallId, bindingOf(call)])));
}

/** What an approval is bound to: the tool and its arguments. */
export function bindingOf({ toolName, input }: Pick<SdkCall, "toolName" | "input">): string {
  return canonicalJson([toolName, input]);
}
