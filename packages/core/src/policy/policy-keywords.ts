import type { PolicyMode } from "../contract/decision.ts";
import type { EffectBasis } from "../contract/effect.ts";
import type { WatchdogSettings } from "../contract/watchdog.ts";

/** The words that a policy may be written in, for whoever reads one from elsewhere. */
export const POLICY_KEYWORDS = Object.freeze({
  modes: ["ask", "allowlist", "yolo", "observe"] satisfies PolicyMode[] as readonly PolicyMode[],
  /** Facts that are so or not. */
  plainFacts: ["sandboxed", "forced", "untrusted", "private"] as const,
  /** Facts that are followed by a name. */
  namedFacts: ["known", "user", "group", "agent", "environment", "role"] as const,
  bases: ["enforced", "inferred", "declared"] satisfies EffectBasis[] as readonly EffectBasis[],
  /** The watchdogs that ship, but for `loop`, which takes a number. */
  watchdogs: [
    "secrets",
    "rule-of-two",
    "exfiltration",
    "protected-names",
    "overreach",
    "risky-commands",
    "changed-scripts",
  ] satisfies (keyof WatchdogSettings)[] as readonly Exclude<keyof WatchdogSettings, "loop">[],
});
