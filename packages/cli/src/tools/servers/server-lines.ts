import { createRedactor, ToolkeepError } from "@toolkeep/core";
import { visible } from "@toolkeep/core/internal";
import {
  codeSource,
  type DefinitionText,
  definitionTexts,
  isRunner,
  mapFor,
  type ServerEntry,
  type ServerReport,
  type StdioServer,
  settingsFor,
  type ToolInReview,
} from "@toolkeep/mcp/internal";
import { hiddenValue } from "../../terminal/hidden-value.ts";
import type { ChosenServers } from "./choose-servers.ts";
import { decidesWhatRuns } from "./code-loading-names.ts";

/** Replaces only the parts of a command or a URL that look like secrets. */
const secrets = createRedactor();

/**
 * How a server is started or reached. The values of its environment and headers may be secret: only their names, the
 * references to the user's own variables and the hosts are shown. Values that load code are shown whole.
 */
export function entryLines(entry: ServerEntry): readonly string[] {
  const where = entry.file === undefined ? [] : [`configured in ${entry.file}`];
  return [...startLines(entry), ...where].map((line) => `  ${visible(secrets.redact(line), LONGEST)}`);
}

/** Whether every line can be shown whole. A server that cannot be read cannot be accepted. */
export function isReadable(entry: ServerEntry): boolean {
  return startLines(entry).every((line) => line.length <= LONGEST);
}

function startLines(entry: ServerEntry): readonly string[] {
  if (entry.kind === "http") return [entry.url, ...valueLines("headers", entry.headers)];
  return [
    [entry.command, ...entry.args].map(quoted).join(" "),
    ...folderLines(entry),
    `code from ${codeSource(entry)}${changedBy(entry)}`,
    ...valueLines("environment", entry.env),
  ];
}

function changedBy({ env }: StdioServer): string {
  const names = Object.keys(env).filter(decidesWhatRuns);
  return names.length === 0 ? "" : ` The environment may change that: ${names.join(", ")}.`;
}

/** A project's runner starts outside of the project, whatever the entry says. */
function folderLines(entry: StdioServer): readonly string[] {
  const { cwd, isOfProject } = entry;
  if (!isOfProject || !isRunner(entry)) return cwd === undefined ? [] : [`in ${cwd}`];
  return [`in an empty folder, with the relative paths of ${cwd ?? "the project"}`];
}

/** Whether the effects of a server are known: the name of its effect map, or why there is none. */
export async function effectsStatus(
  entry: ServerEntry,
  { settings, maps }: Pick<ChosenServers, "settings" | "maps">,
): Promise<string> {
  const own = settingsFor(entry, settings);
  try {
    const map = await mapFor({ entry, settings: own, maps });
    if (map !== undefined) return `effects known: ${map.name}`;
  } catch (error) {
    if (!ToolkeepError.isInstance(error)) throw error;
    return "effects unknown, every call asks: the settings name an effect map that does not exist";
  }
  const why = own.map === false ? "the effect map is switched off" : "no effect map matches the server";
  return `effects unknown, every call asks: ${why}`;
}

/** The state of a server, for people. */
export function reportLines(report: ServerReport, effects: string): readonly string[] {
  const { entry, status, tools, inReview } = report;
  const reason = "reason" in status && status.reason !== undefined ? `: ${status.reason}` : "";
  return [
    visible(`${entry.name}  ${status.state}${reason}`),
    ...entryLines(entry),
    `  ${visible(effects)}`,
    ...(tools.length === 0 ? [] : [`  ${tools.length} tools`]),
    ...inReview.flatMap((one) => reviewLines(one)),
  ];
}

/** The whole definition of a tool that awaits review. */
export function reviewLines(review: ToolInReview): readonly string[] {
  const { tool, why, reasons } = review;
  const { texts, more } = definitionTexts(review);
  return [
    `  awaiting review: ${visible(tool)} (${why})`,
    ...reasons.map((reason) => `    because ${visible(reason)}`),
    ...texts.flatMap(textLines),
    ...(more === 0 ? [] : [`    and ${more} more texts, which are not shown`]),
  ];
}

/** `|` marks a text; where it has changed, `-` marks the old and `+` the new text. */
function textLines({ path, text, before }: DefinitionText): readonly string[] {
  const lines = (mark: string, value: string | undefined) =>
    (value?.split("\n") ?? []).map((line) => `      ${mark} ${visible(line, LONGEST_TEXT)}`);
  return [
    `    ${visible(path, LONGEST)}:`,
    ...lines("-", before),
    ...lines(before === undefined ? "|" : "+", text),
  ];
}

type ReportRecord = Pick<ServerReport, "status" | "tools"> &
  Pick<ServerEntry, "name" | "kind" | "isOfProject"> & {
    readonly file: string | undefined;
    readonly effects: string;
    readonly inReview: readonly Omit<ToolInReview, "definition" | "before">[];
  };

/** The state of a server, for programs. As the lines, it contains no values that may be secret. */
export function reportRecord(
  { entry, status, tools, inReview }: ServerReport,
  effects: string,
): ReportRecord {
  const { name, kind, file, isOfProject } = entry;
  const how =
    entry.kind === "stdio"
      ? {
          command: secrets.redact(entry.command),
          args: entry.args.map((arg) => secrets.redact(arg)),
          ...(entry.cwd === undefined ? {} : { cwd: secrets.redact(entry.cwd) }),
          environment: shownValues("environment", entry.env),
        }
      : { url: secrets.redact(entry.url), headers: shownValues("headers", entry.headers) };
  return {
    name,
    kind,
    file,
    isOfProject,
    ...how,
    effects,
    status,
    tools,
    inReview: inReview.map(reviewRecord),
  };
}

/** Omits the definitions, which may be of any size. */
function reviewRecord({ tool, fingerprint, why, reasons, description }: ToolInReview) {
  return { tool, fingerprint, why, reasons, description };
}

/** What is accepted must be shown whole. */
const LONGEST = 12_000;
/** The texts of a definition are bounded already. An escaped character takes several. */
const LONGEST_TEXT = 1_000_000;

type ValueKind = "environment" | "headers";

function valueLines(what: ValueKind, values: Readonly<Record<string, string>>): readonly string[] {
  const all = Object.entries(values);
  if (all.length === 0) return [];
  const shown = all.flatMap(([name, value]) => valueLine(what, name, value));
  return [`${what}: ${all.map(([name]) => name).join(", ")}`, ...shown];
}

function valueLine(what: ValueKind, name: string, value: string): readonly string[] {
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

function quoted(arg: string): string {
  return /^[\w@%+=:,./*-]+$/.test(arg) ? arg : JSON.stringify(arg);
}
