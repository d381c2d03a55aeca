import type { EffectBasis } from "../../contract/call/effect.ts";
import type { PolicyMode, WatchdogSettings } from "../../contract/policy/decision.ts";

/** The keywords of policies, for readers of policy files. */
export const POLICY_KEYWORDS = Object.freeze({
  modes: ["ask", "allowlist", "yolo", "observe"] satisfies PolicyMode[] as readonly PolicyMode[],
  /** Conditions without a name. */
  plainFacts: [
    "sandboxed",
    "trusted",
    "forced",
    "versions-only",
    "own-code",
    "local-read",
    "untrusted",
    "private",
  ] as const,
  /** Conditions that need a name. */
  namedFacts: ["known", "user", "group", "tenant", "agent", "environment", "role"] as const,
  bases: ["enforced", "inferred", "declared"] satisfies EffectBasis[] as readonly EffectBasis[],
  /** The built-in watchdogs, except `loop`, which takes a number. */
  watchdogs: [
    "secrets",
    "rule-of-two",
    "exfiltration",
    "protected-names",
    "overreach",
    "risky-commands",
    "changed-scripts",
    "destruction",
  ] satisfies (keyof WatchdogSettings)[] as readonly Exclude<keyof WatchdogSettings, "loop">[],
});
