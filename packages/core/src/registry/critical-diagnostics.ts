import type { Diagnostic } from "../contract/values/diagnostic.ts";
import { ToolkeepError } from "../contract/values/error.ts";
import { CODE_ORIGIN, type Origin, originName } from "../contract/values/origin.ts";

/** What an error is about that no session starts with. */
type CriticalCategory = "shadowing" | "trust" | "policy" | "requirements";

/** An error that no session starts with. */
export interface CriticalDiagnostic extends Diagnostic {
  readonly category: CriticalCategory;
}

/** Errors that are critical whatever tool they are about, by code. */
const CATEGORIES: Readonly<Record<string, CriticalCategory>> = {
  name_taken: "shadowing",
  name_locked: "shadowing",
  tool_not_trusted: "trust",
  invalid_rule: "policy",
  invalid_requirement: "requirements",
};

/** What a registry has to say about tools: all of it in order, and why tools are left out right now. */
export class RegistryDiagnostics {
  readonly all: Diagnostic[] = [];
  /** By name and origin. */
  readonly #refused = new Map<string, Diagnostic>();
  readonly #reported = new Map<object, readonly Diagnostic[]>();

  note(diagnostic: Diagnostic): Diagnostic {
    this.all.push(diagnostic);
    return diagnostic;
  }

  /** A tool is left out because of it, until it is forgotten. */
  refuse(diagnostic: Diagnostic): Diagnostic {
    const { subject = "", origin = CODE_ORIGIN } = diagnostic;
    this.#refused.set(keyOf(subject, origin), diagnostic);
    return this.note(diagnostic);
  }

  forget(name: string, origin: Origin): void {
    this.#refused.delete(keyOf(name, origin));
  }

  /** What a source could not register, in place of what it reported before. */
  report(source: object, diagnostics: readonly Diagnostic[]): void {
    if (diagnostics.length === 0) this.#reported.delete(source);
    else this.#reported.set(source, diagnostics);
  }

  /** What no session starts with. Any error of a tool that shadows another one is critical. */
  critical(isShadowing: (name: string, origin: Origin) => boolean): readonly CriticalDiagnostic[] {
    const present = [...this.#refused.values(), ...[...this.#reported.values()].flat()];
    return present.flatMap((one) => {
      const { code, subject, origin } = one;
      const shadows = subject !== undefined && origin !== undefined && isShadowing(subject, origin);
      const category = CATEGORIES[code] ?? (shadows ? "shadowing" : undefined);
      return category === undefined ? [] : [{ ...one, category }];
    });
  }
}

function keyOf(name: string, origin: Origin): string {
  return `${originName(origin)} ${name}`;
}

/** @throws ToolkeepError `invalid_tool` that names all of them. */
export function assertNoneCritical(critical: readonly CriticalDiagnostic[]): void {
  if (critical.length === 0) return;
  const lines = critical.map(({ category, subject = "", origin, file, path = "", message }) => {
    const where = origin === undefined ? file : originName(origin);
    const what = [JSON.stringify(subject), where && `(${where})`, path].filter(Boolean).join(" ");
    return `- ${category}: ${what}: ${message}`;
  });
  const message = "The session does not start with these tools. Fix or remove them:";
  throw new ToolkeepError("invalid_tool", [message, ...lines].join("\n"));
}
