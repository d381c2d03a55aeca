import type { Explanation } from "@toolkeep/core/policy";

/** The files that decide whether and how the hooks of clients run, and what they allow. */
const GUARD_FILES =
  /(?:^|[/"\s])(?:\.claude\/settings[\w.-]*\.json|\.claude\.json|\.mcp\.json|\.cursor\/(?:hooks|mcp)\.json|\.gemini\/settings\.json|\.codex\/(?:config\.toml|hooks\.json|rules\/)|\.copilot\/|\.github\/(?:hooks|copilot)\/|\.config\/opencode\/|\.opencode\/|opencode\.jsonc?|\.toolkeep(?:\/|$)|(?:policy|toolkeep)\.ya?ml)/;

/**
 * What an ask protects that must not happen unless a person says so: final rules, keys, what is published, and Toolkeep
 * itself.
 * `undefined` for another ask, and for one that a rule of the user's own makes: the user wants to be asked.
 */
export function protectedBy({
  decision,
  effects,
}: Pick<Explanation, "effects"> & {
  readonly decision: Pick<Explanation["decision"], "layer" | "at" | "askedBy" | "reason" | "isFinal">;
}): "final rules" | "keys" | "publishing" | "toolkeep" | undefined {
  const { layer, at, askedBy = [], reason = "", isFinal } = decision;
  if (isFinal === true) return "final rules";
  if (layer === "rule" && at !== "toolkeep:recommended" && askedBy.length <= 1) return undefined;
  const targets = effects.filter(({ implied }) => implied !== true);
  const changes = targets.filter(({ capability }) => /^fs\.(?:write|delete)$/.test(capability));
  const isGuard = changes.some(({ target }) => GUARD_FILES.test(target));
  if (askedBy.includes("own-files") || isGuard) return "toolkeep";
  if (askedBy.includes("protected-names") && GUARD_FILES.test(reason)) return "toolkeep";
  if (askedBy.includes("exfiltration") || askedBy.includes("secrets")) return "keys";
  if (askedBy.includes("protected-names") && reason.includes("may hold secrets")) return "keys";
  const isPublished = targets.some(({ capability }) => /^(?:git\.push|package\.publish)$/.test(capability));
  return isPublished ? "publishing" : undefined;
}
