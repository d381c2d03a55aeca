import type { LoggedCall } from "./logged-call.ts";

const MOST_EFFECTS = 5;

/** For people: what, then who decided and what came of it. */
export function logLines(call: LoggedCall): readonly string[] {
  const { at, sessionId, tool, effects, decision, by, person, outcome } = call;
  const rest = effects.length > MOST_EFFECTS ? [`and ${effects.length - MOST_EFFECTS} more`] : [];
  const what = [...effects.slice(0, MOST_EFFECTS), ...rest].map(oneLine).join(", ");
  const how = [
    by === undefined ? decision : `${decision} by ${by}`,
    ...(person === undefined ? [] : [`answered by ${person}`]),
    ...(outcome === undefined ? [] : [outcome]),
  ];
  return [
    `${new Date(at).toISOString()}  ${tool}${what === "" ? "" : `: ${what}`}`,
    `  ${how.map(oneLine).join("; ")}  (${sessionId})`,
  ];
}

/** For programs. */
export function logRecord({ at, ...call }: LoggedCall) {
  return { at: new Date(at).toISOString(), ...call };
}

/** Nothing that a model or a server wrote may look like a line of ours. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]+/g, "\u23ce");
}
