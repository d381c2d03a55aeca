import { closestName, visible } from "@toolkeep/core/internal";
import type { ConfigDiagnostic } from "./config.ts";
import type { Position } from "./jsonc-tree.ts";

/** Collects what is wrong with one file while it is read. */
export class ConfigDiagnostics {
  readonly file: string;
  readonly #found: ConfigDiagnostic[] = [];

  constructor(file: string) {
    this.file = file;
  }

  get all(): readonly ConfigDiagnostic[] {
    return this.#found;
  }

  error(position: Position, message: string, hint?: string): undefined {
    return this.#add("error", position, message, hint);
  }

  warn(position: Position, message: string, hint?: string): undefined {
    return this.#add("warning", position, message, hint);
  }

  unknownKey(position: Position, key: string, known: readonly string[]): undefined {
    const near = closestName(key, known);
    const hint = near === undefined ? `Write one of ${known.join(", ")}.` : `Did you mean \`${near}\`?`;
    return this.error(position, `Unknown key ${JSON.stringify(key)}.`, hint);
  }

  #add(
    severity: ConfigDiagnostic["severity"],
    position: Position,
    message: string,
    hint?: string,
  ): undefined {
    const { line, column } = position;
    const code = severity === "error" ? "invalid_config" : "config_ignored";
    const more = hint === undefined ? {} : { hint };
    this.#found.push({ code, severity, file: this.file, line, column, message, ...more });
    return undefined;
  }
}

/** One line that an editor or a terminal can jump from. */
export function formatConfigDiagnostic(diagnostic: ConfigDiagnostic): string {
  const { severity, file, line, column, message, hint } = diagnostic;
  return visible(`${file}:${line}:${column}: ${severity}: ${message}${hint === undefined ? "" : ` ${hint}`}`);
}
