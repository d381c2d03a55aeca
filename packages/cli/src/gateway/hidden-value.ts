const REFERENCE = /\$\{[^{}]{1,200}\}/g;

/** Which of the user's own values go there is no secret, and matters: a project may ask for any of them. */
export function hiddenValue(value: string): string {
  const references = [...value.matchAll(REFERENCE)].map(([found]) => found.replace(/:-.*/s, ":-…}"));
  return references.length === 0 ? "…" : `… ${references.join(" ")}`;
}
