import type { Sandbox } from "@toolkeep/core/ports";
import { bubblewrap } from "./bubblewrap.ts";
import { sandboxRuntime } from "./sandbox-runtime.ts";
import type { SandboxUser } from "./sandbox-user.ts";

/** The sandboxes there are for this platform, the best first. */
export function sandboxFallbacks(runAs: SandboxUser | undefined): readonly Sandbox[] {
  const user = runAs === undefined ? {} : { runAs };
  if (process.platform === "linux") return [bubblewrap(user), sandboxRuntime(user)];
  return process.platform === "darwin" ? [sandboxRuntime(user)] : [];
}
