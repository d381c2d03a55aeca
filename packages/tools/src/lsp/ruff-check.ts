import { type ToolContext, ToolFailure, textContent, toolOutput } from "@toolkeep/core";
import { isRecord, terminalText } from "@toolkeep/core/internal";
import { lineOfWords } from "../shell/command-line.ts";

const KEEP_BYTES = 4_000_000;
const TIMEOUT_MS = 60_000;
const MOST_FINDINGS = 200;
const NOT_FOUND = 127;

/** The command line of a check: settings of the project are not read, and nothing is written. */
export function ruffLine(path: string): string {
  const options = ["check", "--output-format", "json", "--no-cache", "--isolated"];
  return lineOfWords(["ruff", ...options, path.startsWith("-") ? `./${path}` : path]);
}

/** Runs ruff. @throws ToolFailure if it is not installed, and if it could not check. */
export async function checkWithRuff(line: string, { io }: ToolContext) {
  const { exitCode, output, stopped } = await io.commands.run({
    line,
    keepBytes: KEEP_BYTES,
    timeoutMs: TIMEOUT_MS,
  });
  if (exitCode === NOT_FOUND)
    throw new ToolFailure("unavailable", "ruff is not installed: there is no program ruff.", {
      hint: "Install it: `pipx install ruff`.",
    });
  const text = new TextDecoder().decode(output?.head);
  const found = findingsIn(text);
  if (found === undefined)
    throw new ToolFailure(
      "tool_failed",
      `ruff could not check it: ${stopped ?? terminalText(text).trim().slice(-2_000)}`,
    );
  const findings = found.slice(0, MOST_FINDINGS);
  const lines = findings.map((one) => `${one.path}:${one.line}:${one.column}: ${one.code} ${one.message}`);
  const rest = found.length - findings.length;
  const note =
    found.length === 0 ? ["ruff finds nothing."] : rest > 0 ? [`(${rest} more are not shown.)`] : [];
  return toolOutput({
    data: { findings, total: found.length },
    content: [textContent([...lines, ...note].join("\n"))],
  });
}

/** `undefined` for an output without a report, which comes after warnings. */
function findingsIn(output: string) {
  const report = /^\[.*\]$/ms.exec(output.trim())?.[0];
  if (report === undefined) return undefined;
  try {
    const items: unknown = JSON.parse(report);
    return Array.isArray(items) ? items.flatMap(findingOf) : undefined;
  } catch {
    return undefined;
  }
}

function findingOf(item: unknown) {
  if (!isRecord(item) || !isRecord(item["location"])) return [];
  const words = (value: unknown) => terminalText(String(value)).slice(0, 1_000);
  const { row, column } = item["location"];
  return {
    path: words(item["filename"]),
    line: Number(row),
    column: Number(column),
    // A file that cannot be parsed has no code.
    code: words(item["code"] ?? "syntax"),
    message: words(item["message"]),
  };
}
