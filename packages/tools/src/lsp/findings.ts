import { type ToolOutput, textContent, toolOutput } from "@toolkeep/core";
import { isBeneath, isRecord, terminalText, unlessThrown } from "@toolkeep/core/internal";
import names from "./protocol-names.json" with { type: "json" };

const MOST_SHOWN = 200;
const LONGEST = 1_000;
const DEEPEST = 20;

/** A place in a file, counted from 1, and what is said of it. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly says?: string;
}

export function uriOf(path: string): string {
  return `file://${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** The path of a file; what is no file keeps its URI. */
export function pathOf(uri: string): string {
  const path = /^file:\/\/(\/[^?#]*)/.exec(uri)?.[1];
  return unlessThrown(() => (path === undefined ? uri : decodeURIComponent(path))) ?? uri;
}

/** Locations and links to them. */
export function placesOf(answer: unknown): readonly Finding[] {
  return recordsIn(Array.isArray(answer) ? answer : [answer]).flatMap((one) => {
    const uri = one["targetUri"] ?? one["uri"];
    const range = one["targetSelectionRange"] ?? one["range"];
    return typeof uri === "string" ? findingAt(pathOf(uri), range) : [];
  });
}

/** Symbols of a file, as a tree or as a list, and those of a project. */
export function symbolsOf(answer: unknown, path: string, depth = 0): readonly Finding[] {
  return recordsIn(depth > DEEPEST ? [] : answer).flatMap((one) => {
    const { name, kind, selectionRange, location, children } = one;
    const says = `${"  ".repeat(depth)}${names.kinds[Number(kind) - 1] ?? "symbol"} ${String(name)}`;
    const places = isRecord(selectionRange) ? findingAt(path, selectionRange) : placesOf(location);
    return [...places.map((place) => ({ ...place, says })), ...symbolsOf(children, path, depth + 1)];
  });
}

export function diagnosticsOf(answer: unknown, path: string): readonly Finding[] {
  return recordsIn(answer).flatMap(({ range, severity, message, code }) => {
    const kind = names.severities[Number(severity) - 1] ?? "error";
    const says = `${kind}: ${String(message)}${/number|string/.test(typeof code) ? ` (${String(code)})` : ""}`;
    return findingAt(path, range, says);
  });
}

/** The text of a hover, in each of the forms that it may have. */
export function hoverOf(contents: unknown): string {
  if (typeof contents === "string") return contents;
  if (Array.isArray(contents)) return contents.map(hoverOf).join("\n\n");
  return isRecord(contents) ? hoverOf(contents["contents"] ?? contents["value"]) : "";
}

/** What was found, one line each: paths are relative to the workspace, and nothing in them can pass for something else. */
export function findingsOutput(found: readonly Finding[], workspace: string, none: string): ToolOutput {
  const shown = found.slice(0, MOST_SHOWN).map(({ path, says, ...place }) => ({
    path: nameOf(path, workspace),
    ...place,
    ...(says === undefined ? {} : { says: terminalText(says).slice(0, LONGEST) }),
  }));
  const lines = shown.map(
    ({ path, line, column, says }) => `${path}:${line}:${column}${says === undefined ? "" : `: ${says}`}`,
  );
  const rest = found.length - shown.length;
  const note = found.length === 0 ? [none] : rest > 0 ? [`(${rest} more are not shown.)`] : [];
  return toolOutput({
    data: { found: shown, total: found.length },
    content: [textContent([...lines, ...note].join("\n"))],
  });
}

function findingAt(path: string, range: unknown, says?: string): readonly Finding[] {
  const start = isRecord(range) ? range["start"] : undefined;
  const { line, character } = isRecord(start) ? start : {};
  if (typeof line !== "number" || typeof character !== "number") return [];
  return [{ path, line: line + 1, column: character + 1, ...(says === undefined ? {} : { says }) }];
}

function nameOf(path: string, workspace: string): string {
  const name = isBeneath(path, workspace) ? path.slice(workspace.length + 1) : path;
  return terminalText(name).replaceAll(/\s/g, " ");
}

function recordsIn(answer: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(answer) ? answer.filter(isRecord) : [];
}
