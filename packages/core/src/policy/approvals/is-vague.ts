import { type Effect, UNKNOWN_CAPABILITY } from "../../contract/effect.ts";

/**
 * Whether effects say too little to tell one call from another: there are none, nobody knows them, a
 * server will decide them, they stand for many, or they are several commands, whose order counts. Then
 * the arguments are what is approved.
 */
export function isVague(effects: readonly Effect[]): boolean {
  return (
    effects.length === 0 ||
    effects.filter(({ capability }) => capability.startsWith("shell.")).length > 1 ||
    effects.some(
      ({ capability, target }) =>
        capability === UNKNOWN_CAPABILITY ||
        capability === "mcp.call" ||
        capability === "mcp.read" ||
        (capability !== "shell.run" && /[*?{]/.test(target)),
    )
  );
}
