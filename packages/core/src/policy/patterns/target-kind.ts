/** Paths have segments and commands have words; hosts and whatever else are texts. */
export type TargetKind = "path" | "command" | "text";

/** What kind of target a capability has. */
export function kindOfTarget(capability: string): TargetKind {
  if (capability.startsWith("fs.")) return "path";
  return capability === "shell.run" ? "command" : "text";
}

const LONGEST: Readonly<Record<TargetKind, number>> = { path: 4_096, command: 65_536, text: 65_536 };

/** Whether a target is not looked at for its length: nothing covers it, and it may be anything. */
export function isTooLong(target: string, kind: TargetKind): boolean {
  return target.length > LONGEST[kind];
}
