import { closestName } from "@toolkeep/core/internal";
import { visible } from "@toolkeep/core/policy";
import type { Place } from "../policy-file/diagnostic.ts";
import type { ConfigDiagnostic } from "./config.ts";

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

  error(place: Place, message: string, instead?: string): undefined {
    return this.#add("error", place, message, instead);
  }

  warn(place: Place, message: string, instead?: string): undefined {
    return this.#add("warning", place, message, instead);
  }

  unknownKey(place: Place, key: string, known: readonly string[]): undefined {
    const near = closestName(key, known);
    const instead = near === undefined ? `Write one of ${known.join(", ")}.` : `Did you mean \`${near}\`?`;
    return this.error(place, `Nobody knows ${JSON.stringify(key)} here.`, instead);
  }

  #add(severity: ConfigDiagnostic["severity"], place: Place, message: string, instead?: string): undefined {
    const { line, column } = place;
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
