import type { Watchdog } from "@toolkeep/core/policy";
import type { ConfigReading } from "@toolkeep/node/internal";

/** Denies commands that clients run themselves, without a sandbox, where any file says `sandbox.required`. */
export function sandboxWatchdog(origins: ConfigReading["origins"]): readonly Watchdog[] {
  if (origins.get("sandbox.required")?.some(({ value }) => value === true) !== true) return [];
  return [
    {
      name: "sandbox-required",
      evaluate({ effects }, context) {
        const runs = effects.some(({ capability }) => capability.startsWith("shell."));
        if (!runs || context.sandbox !== "none") return { action: "allow" };
        const reason =
          "The configuration says `sandbox.required`, and this command would run without one. Commands of clients run in it after `toolkeep init --confine`.";
        return { action: "deny", reason };
      },
    },
  ];
}
