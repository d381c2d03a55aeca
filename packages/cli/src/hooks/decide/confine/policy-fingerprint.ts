import { createHash } from "node:crypto";
import type { Project } from "../../../project/read-project.ts";

/** Everything of a project's configuration and policy that decides. Functions are made from it, and not part of it. */
export function policyFingerprint({ root, config, policy, isTrusted }: Project): string {
  const { watchdogs: _, ...definition } = policy;
  const decides = JSON.stringify([root, config, definition, isTrusted]);
  return createHash("sha256").update(decides).digest("hex");
}
