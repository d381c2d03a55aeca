import type { Sandbox } from "@toolkeep/core/ports";

/**
 * No walls at all: a command can do whatever this process can. It still gets the environment it was given
 * and no other. For machines that are thrown away afterwards; policy sees the grade `none`.
 */
export function noSandbox(): Sandbox {
  return Object.freeze({
    name: "none (commands run without walls)",
    isolation: "none",
    async wrap(argv, { environment, cwd }) {
      return { argv, environment, cwd };
    },
  } satisfies Sandbox);
}
