import type { Rule } from "@toolkeep/core";
import picomatch from "picomatch";

type Said = Rule["action"] | "nothing";

const STRICTNESS: Readonly<Record<Said, number>> = { nothing: 0, allow: 1, ask: 2, deny: 3 };

/** The plain way to decide about a path: matchers that are compiled once and tried in order; the strictest wins. */
export function picomatchLoop(rules: readonly Rule[]): (path: string) => Said {
  const compiled = rules
    .filter(({ permission }) => permission === "fs.read")
    .map(({ pattern = "**", action }) => ({ isMatch: picomatch(pattern, { dot: true }), action }));
  return (path) => {
    let strictest: Said = "nothing";
    for (const { isMatch, action } of compiled) {
      if (isMatch(path) && STRICTNESS[action] > STRICTNESS[strictest]) strictest = action;
    }
    return strictest;
  };
}
