import { visible } from "@toolkeep/core/policy";
import type { HeldTool, ServerEntry, ServerReport } from "@toolkeep/mcp";

/** How a server is started or reached. Of its environment and headers only the names: values may be secret. */
export function entryLines(entry: ServerEntry): readonly string[] {
  const where = entry.file === undefined ? [] : [`named in ${entry.file}`];
  const how =
    entry.kind === "http"
      ? [entry.url, ...names("headers", entry.headers)]
      : [
          [entry.command, ...entry.args].map(quoted).join(" "),
          ...(entry.cwd === undefined ? [] : [`in ${entry.cwd}`]),
          ...names("environment", entry.env),
        ];
  return [...how, ...where].map((line) => `  ${visible(line, LONGEST)}`);
}

export function reportLines({ entry, status, tools, held }: ServerReport): readonly string[] {
  const reason = "reason" in status && status.reason !== undefined ? `: ${status.reason}` : "";
  return [
    visible(`${entry.name}  ${status.state}${reason}`),
    ...entryLines(entry),
    ...(tools.length === 0 ? [] : [`  ${tools.length} tools`]),
    ...held.flatMap((one) => heldLines(one)),
  ];
}

/** The whole of what is held back: whoever accepts it must be able to read it. */
export function heldLines({ tool, why, reasons, description }: HeldTool): readonly string[] {
  return [
    `  held back: ${visible(tool)} (${why})`,
    ...reasons.map((reason) => `    because ${visible(reason)}`),
    ...description.split("\n").map((line) => `    | ${visible(line, LONGEST)}`),
  ];
}

/** For programs; as the lines, without values that may be secret. */
export function reportRecord({ entry, status, tools, held }: ServerReport) {
  const { name, kind, file, isOfProject } = entry;
  const how =
    entry.kind === "stdio"
      ? { command: entry.command, args: entry.args, environment: Object.keys(entry.env) }
      : { url: entry.url, headers: Object.keys(entry.headers) };
  return { name, kind, file, isOfProject, ...how, status, tools, held };
}

/** What is accepted must be read as a whole. */
const LONGEST = 12_000;

function names(what: string, values: Readonly<Record<string, string>>): readonly string[] {
  const all = Object.keys(values);
  return all.length === 0 ? [] : [`${what}: ${all.join(", ")}`];
}

function quoted(word: string): string {
  return /^[\w@%+=:,./*-]+$/.test(word) ? word : JSON.stringify(word);
}
