import { type Effect, UNKNOWN_CAPABILITY } from "../../contract/effect.ts";

/**
 * Whether effects say too little to tell one call from another: there are none, nobody knows them, a
 * server will decide them, or they stand for many. Then the arguments are what is shown and approved.
 */
export function isVague(effects: readonly Effect[]): boolean {
  return (
    effects.length === 0 ||
    effects.some(
      ({ capability, target }) =>
        capability === UNKNOWN_CAPABILITY ||
        capability === "mcp.call" ||
        (capability !== "shell.run" && /[*?{]/.test(target)),
    )
  );
}
