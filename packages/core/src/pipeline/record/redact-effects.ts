import type { Decision } from "../../contract/policy/decision.ts";
import type { CanonicalEffect } from "../../contract/policy/policy-call.ts";
import type { Redactor } from "../../redaction/redactor.ts";

/** Effects as they may be written down and shown. Most have nothing to hide. */
export function redactEffects(
  effects: readonly CanonicalEffect[],
  redactor: Redactor,
): readonly CanonicalEffect[] {
  if (!hideAnything(effects, redactor)) return effects;
  return effects.map((effect) => ({
    ...effect,
    target: redactor.redact(effect.target),
    ...(effect.note === undefined ? {} : { note: redactor.redact(effect.note) }),
  }));
}

function hideAnything(effects: readonly CanonicalEffect[], redactor: Redactor): boolean {
  for (let index = 0; index < effects.length; index += 1) {
    const { target, note } = effects[index] as CanonicalEffect;
    if (redactor.find(target).length > 0) return true;
    if (note !== undefined && redactor.find(note).length > 0) return true;
  }
  return false;
}

/** What would have become of a call, with the secrets in the reason replaced. */
export function redactOutcome<Outcome extends NonNullable<Decision["shadow"]>>(
  outcome: Outcome,
  redactor: Redactor,
): Outcome {
  return { ...outcome, reason: redactor.redact(outcome.reason) };
}
