import { createRedactor } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import {
  type DefinitionText,
  definitionTexts,
  type ServerEntry,
  type ServerReport,
  type ToolInReview,
} from "@toolkeep/mcp";
import { decidesWhatRuns } from "./code-loading-names.ts";
import { hiddenValue } from "./hidden-value.ts";

/** What looks like a secret in a command or an address is replaced there, and the rest of it stays. */
const secrets = createRedactor();

/**
 * How a server is started or reached. Of its environment and headers only the names, and which of the user's own
 * values and which hosts go there: the values may be secret. Those that load code are part of the command, and are shown.
 */
export function entryLines(entry: ServerEntry): readonly string[] {
  const where = entry.file === undefined ? [] : [`named in ${entry.file}`];
  return [...startLines(entry), ...where].map((line) => `  ${visible(secrets.redact(line), LONGEST)}`);
}

/** Whether every line is short enough to be shown whole: what cannot be read is not accepted. */
export function isReadable(entry: ServerEntry): boolean {
  return startLines(entry).every((line) => line.length <= LONGEST);
}

function startLines(entry: ServerEntry): readonly string[] {
  if (entry.kind === "http") return [entry.url, ...valueLines("headers", entry.headers)];
  return [
    [entry.command, ...entry.args].map(quoted).join(" "),
    ...(entry.cwd === undefined ? [] : [`in ${entry.cwd}`]),
    ...valueLines("environment", entry.env),
  ];
}

/** A server as it is, with what is known of its effects. */
export function reportLines(report: ServerReport, effects: string): readonly string[] {
  const { entry, status, tools, held } = report;
  const reason = "reason" in status && status.reason !== undefined ? `: ${status.reason}` : "";
  return [
    visible(`${entry.name}  ${status.state}${reason}`),
    ...entryLines(entry),
    `  ${visible(effects)}`,
    ...(tools.length === 0 ? [] : [`  ${tools.length} tools`]),
    ...held.flatMap((one) => reviewLines(one)),
  ];
}

/** The whole of what is held back: whoever accepts it must be able to read it. */
export function reviewLines(held: ToolInReview): readonly string[] {
  const { tool, why, reasons } = held;
  const { texts, more } = definitionTexts(held);
  return [
    `  held back: ${visible(tool)} (${why})`,
    ...reasons.map((reason) => `    because ${visible(reason)}`),
    ...texts.flatMap(textLines),
    ...(more === 0 ? [] : [`    and ${more} more that are not shown whole: it says more than anybody reads`]),
  ];
}

/** `|` what it says; where that has changed, `-` what it said and `+` what it says now. */
function textLines({ place, text, before }: DefinitionText): readonly string[] {
  const lines = (mark: string, words: string | undefined) =>
    (words?.split("\n") ?? []).map((line) => `      ${mark} ${visible(line, LONGEST_TEXT)}`);
  return [
    `    ${visible(place, LONGEST)}:`,
    ...lines("-", before),
    ...lines(before === undefined ? "|" : "+", text),
  ];
}

/** For programs; as the lines, without values that may be secret. */
export function reportRecord({ entry, status, tools, held }: ServerReport, effects: string) {
  const { name, kind, file, isOfProject } = entry;
  const how =
    entry.kind === "stdio"
      ? {
          command: secrets.redact(entry.command),
          args: entry.args.map((word) => secrets.redact(word)),
          ...(entry.cwd === undefined ? {} : { cwd: secrets.redact(entry.cwd) }),
          environment: shownValues("environment", entry.env),
        }
      : { url: secrets.redact(entry.url), headers: shownValues("headers", entry.headers) };
  return { name, kind, file, isOfProject, ...how, effects, status, tools, held: held.map(reviewRecord) };
}

/** Without the definitions, which may be of any size. */
function reviewRecord({ tool, fingerprint, why, reasons, description }: ToolInReview) {
  return { tool, fingerprint, why, reasons, description };
}

/** What is accepted must be read as a whole. */
const LONGEST = 12_000;
/** Texts of a definition are bounded before; written out, a hidden character takes several. */
const LONGEST_TEXT = 1_000_000;

type ValueKind = "environment" | "headers";

function valueLines(what: ValueKind, values: Readonly<Record<string, string>>): readonly string[] {
  const all = Object.entries(values);
  if (all.length === 0) return [];
  const told = all.flatMap(([name, value]) => toldValue(what, name, value));
  return [`${what}: ${all.map(([name]) => name).join(", ")}`, ...told];
}

function toldValue(what: ValueKind, name: string, value: string): readonly string[] {
  const shown = shownValue(what, name, value);
  return shown === "…" ? [] : [`  ${name}=${quoted(shown)}`];
}

function shownValue(what: ValueKind, name: string, value: string): string {
  return what === "environment" && decidesWhatRuns(name) ? value : hiddenValue(value, name);
}

function shownValues(what: ValueKind, values: Readonly<Record<string, string>>): Record<string, string> {
  const shown = Object.entries(values).map(([name, value]) => [
    name,
    secrets.redact(shownValue(what, name, value)),
  ]);
  return Object.fromEntries(shown);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./*-]+$/.test(word) ? word : JSON.stringify(word);
}
