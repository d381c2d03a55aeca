import { isRecord, terminalText } from "@toolkeep/core/internal";
import { pathOf } from "./file-uris.ts";
import names from "./protocol-names.json" with { type: "json" };

/** A place in a file, counted from 1. */
export interface Place {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** A place with the name that is declared there. */
export interface SymbolPlace extends Place {
  readonly name: string;
  readonly kind: string;
  /** How deep it is within other symbols. */
  readonly depth: number;
}

export interface Diagnostic extends Place {
  readonly severity: string;
  readonly message: string;
  readonly code?: string;
}

const LONGEST_MESSAGE = 2_000;
const LONGEST_NAME = 200;
const DEEPEST = 20;

/** Locations and links to them; what is neither is left out. */
export function placesOf(answer: unknown): readonly Place[] {
  const all: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  return all.flatMap((one) => {
    if (!isRecord(one)) return [];
    const uri = one["targetUri"] ?? one["uri"];
    const start = startOf(one["targetSelectionRange"] ?? one["targetRange"] ?? one["range"]);
    return typeof uri === "string" && start !== undefined ? [{ path: pathOf(uri), ...start }] : [];
  });
}

/** Symbols of a file, as a tree or as a list, and those of a workspace. */
export function symbolsOf(answer: unknown, path: string, depth = 0): readonly SymbolPlace[] {
  if (!Array.isArray(answer) || depth > DEEPEST) return [];
  return answer.flatMap((one: unknown) => {
    if (!isRecord(one) || typeof one["name"] !== "string") return [];
    const start = startOf(one["selectionRange"]);
    const place = start === undefined ? placesOf(one["location"])[0] : { path, ...start };
    if (place === undefined) return [];
    const kind = names.kinds[Number(one["kind"]) - 1] ?? "symbol";
    const name = oneLine(one["name"]).slice(0, LONGEST_NAME);
    return [{ ...place, name, kind, depth }, ...symbolsOf(one["children"], path, depth + 1)];
  });
}

export function diagnosticsOf(items: readonly unknown[], path: string): readonly Diagnostic[] {
  return items.flatMap((one) => {
    if (!isRecord(one) || typeof one["message"] !== "string") return [];
    const start = startOf(one["range"]);
    if (start === undefined) return [];
    const { code } = one;
    return {
      path,
      ...start,
      severity: names.severities[Number(one["severity"]) - 1] ?? "error",
      message: terminalText(one["message"]).slice(0, LONGEST_MESSAGE),
      ...(typeof code === "string" || typeof code === "number"
        ? { code: oneLine(String(code)).slice(0, LONGEST_NAME) }
        : {}),
    };
  });
}

/** The text of a hover, in each of the forms that it may have. */
export function hoverOf(answer: unknown): string {
  return terminalText(isRecord(answer) ? textIn(answer["contents"]) : "").trim();
}

function textIn(contents: unknown): string {
  if (typeof contents === "string") return contents;
  if (Array.isArray(contents)) return contents.map(textIn).join("\n\n");
  return isRecord(contents) && typeof contents["value"] === "string" ? contents["value"] : "";
}

function startOf(range: unknown): Omit<Place, "path"> | undefined {
  const start = isRecord(range) ? range["start"] : undefined;
  if (!isRecord(start)) return undefined;
  const { line, character } = start;
  if (typeof line !== "number" || typeof character !== "number") return undefined;
  return { line: line + 1, column: character + 1 };
}

function oneLine(text: string): string {
  return terminalText(text).replaceAll(/\s+/g, " ").trim();
}
