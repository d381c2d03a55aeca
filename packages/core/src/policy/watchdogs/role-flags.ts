import type { Watchdog } from "../../contract/policy/decision.ts";
import { invalidOption } from "../../contract/values/error.ts";
import { watchdog } from "./verdict.ts";

const CODE_SWITCH = "ALLOW_CODE_EXECUTION";
const CODE_TOOL = "code_exec";

/**
 * Flags that switch tools: `allow_{tool}_{role}` counts, else `allow_{tool}`; without either the tool
 * stays on. `ALLOW_CODE_EXECUTION: false` switches `code_exec` off whatever else is said.
 * @throws ToolkeepError `invalid_option` for a flag that is neither true nor false.
 */
export function roleFlags(flags: Readonly<Record<string, boolean>>): Watchdog {
  const known = new Map(Object.entries(flags));
  for (const [flag, value] of known) {
    if (flag !== CODE_SWITCH && !flag.startsWith("allow_")) {
      throw invalidOption(
        `A flag is \`allow_{tool}\`, \`allow_{tool}_{role}\` or ${CODE_SWITCH}; ${JSON.stringify(flag)} is none.`,
      );
    }
    if (typeof value !== "boolean") {
      throw invalidOption(`The flag ${JSON.stringify(flag)} must be true or false.`);
    }
  }
  return watchdog("role-flags", "deny", ({ found }, { principal }) => {
    const flag = decidingFlag(known, found.name, principal.role);
    if (flag === undefined || known.get(flag) === true) return undefined;
    return `The flag ${flag} is off, so ${principal.role || "this role"} may not use ${found.name}.`;
  });
}

function decidingFlag(flags: ReadonlyMap<string, boolean>, tool: string, role: string): string | undefined {
  if (tool === CODE_TOOL && flags.get(CODE_SWITCH) === false) return CODE_SWITCH;
  return [`allow_${tool}_${role}`, `allow_${tool}`].find((flag) => flags.has(flag));
}
