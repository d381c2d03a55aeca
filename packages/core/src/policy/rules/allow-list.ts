import type { PolicyCall } from "../../contract/policy/policy-call.ts";
import type { Rule } from "../../contract/policy/rule.ts";
import { invalidOption, type ToolkeepError } from "../../contract/values/error.ts";
import { approvalKey } from "../approvers/approval-key.ts";
import { compileGlob } from "../patterns/compile-glob.ts";

/** A compiled allow-list. */
export interface AllowList {
  /** Each entry as a rule of the session. */
  readonly rules: readonly Rule[];
  /** The entry whose pattern matches the approval key of a call. */
  entryFor(call: PolicyCall): string | undefined;
}

const ENTRY = /^([\w.:*-]+)(?:\((.+)\))?$/s;

/** Compiles entries `name` and `name(keyPattern)`. @throws ToolkeepError `invalid_option`. */
export function compileAllowList(entries: readonly string[]): AllowList {
  const compiled = entries.map((entry) => {
    const [, name, key] = ENTRY.exec(entry) ?? [];
    if (name === undefined) throw invalid(entry);
    return {
      entry,
      name: compileGlob(name),
      permission: name,
      key,
      keyPattern: key === undefined ? undefined : compileGlob(key),
    };
  });
  return {
    rules: compiled.map(({ entry, permission, key }) => ({
      permission,
      ...(key === undefined ? {} : { pattern: key }),
      action: "allow",
      scope: "session",
      at: `allow-list ${JSON.stringify(entry)}`,
    })),
    entryFor(call) {
      if (call.found.tool.deriveApprovalKey === undefined) return undefined;
      if (call.effects.some(({ capability }) => capability === "shell.dynamic")) return undefined;
      return compiled.find(
        ({ name, keyPattern }) =>
          name.matches(call.found.name, "text") && keyPattern?.matches(approvalKey(call), "text") === true,
      )?.entry;
    },
  };
}

function invalid(entry: string): ToolkeepError {
  return invalidOption(
    `The allow-list entry ${JSON.stringify(entry)} is none: write \`name\` or \`name(keyPattern)\`.`,
  );
}
