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

  error(position: Position, message: string, instead?: string): undefined {
    return this.#add("error", position, message, instead);
  }

  warn(position: Position, message: string, instead?: string): undefined {
    return this.#add("warning", position, message, instead);
  }

  unknownKey(position: Position, key: string, known: readonly string[]): undefined {
    const near = closestName(key, known);
    const instead = near === undefined ? `Write one of ${known.join(", ")}.` : `Did you mean \`${near}\`?`;
    return this.error(position, `Nobody knows ${JSON.stringify(key)} here.`, instead);
  }

  #add(
    severity: ConfigDiagnostic["severity"],
    position: Position,
    message: string,
    instead?: string,
  ): undefined {
    const { line, column } = position;
    const hint = instead === undefined ? {} : { instead };
    this.#found.push({ severity, file: this.file, line, column, message, ...hint });
    return undefined;
  }
}

/** One line that an editor or a terminal can jump from. */
export function formatConfigDiagnostic(diagnostic: ConfigDiagnostic): string {
  const { severity, file, line, column, message, instead } = diagnostic;
  return visible(
    `${file}:${line}:${column}: ${severity}: ${message}${instead === undefined ? "" : ` ${instead}`}`,
  );
}
