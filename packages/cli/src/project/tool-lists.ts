import { onlyTools, type PolicyMode, type Watchdog } from "@toolkeep/core/policy";
import type { ConfigOrigin, ConfigReading } from "@toolkeep/node/internal";

/**
 * The watchdogs of `allowed`, `denied` and `tools.NAME.enabled`. A tool must be on every list of allowed tools and on
 * none of denied ones, in all files. In the mode `observe`, lists stop nothing unless they are the
 * administrator's.
 */
export function toolLists(
  origins: ConfigReading["origins"],
  mode: PolicyMode | undefined,
): readonly Watchdog[] {
  const lists = [...origins].flatMap(([key, written]) =>
    written.flatMap((origin) => {
      const list = listOf(key, origin);
      if (list === undefined) return [];
      return [mode === "observe" && origin.layer !== "managed" ? asking(list) : list];
    }),
  );
  return lists;
}

function listOf(key: string, { value }: ConfigOrigin): Watchdog | undefined {
  if (key === "allowed") return onlyTools({ include: value as readonly string[] });
  if (key === "denied") return onlyTools({ exclude: value as readonly string[] });
  const [, tool] = /^tools\.(.+)\.enabled$/.exec(key) ?? [];
  return tool === undefined || value !== false ? undefined : onlyTools({ exclude: [tool] });
}

function asking(watchdog: Watchdog): Watchdog {
  return {
    ...watchdog,
    async evaluate(call, context) {
      const verdict = await watchdog.evaluate(call, context);
      return verdict.action === "deny" ? { ...verdict, action: "ask" } : verdict;
    },
  };
}
