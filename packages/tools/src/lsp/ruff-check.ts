import { type ToolContext, ToolFailure } from "@toolkeep/core";
import { isRecord, terminalText } from "@toolkeep/core/internal";
import { lineOfWords } from "../shell/command-line.ts";
import type { Finding } from "./findings.ts";

const KEEP_BYTES = 4_000_000;
const TIMEOUT_MS = 60_000;
const NOT_FOUND = 127;

/** The command line of a check: settings of the project are not read, and nothing is written. */
export function ruffLine(path: string): string {
  const options = ["check", "--output-format", "json", "--no-cache", "--isolated"];
  return lineOfWords(["ruff", ...options, path.startsWith("-") ? `./${path}` : path]);
}

/** @throws ToolFailure if ruff is not installed, and if it could not check. */
export async function checkWithRuff(line: string, { io }: ToolContext): Promise<readonly Finding[]> {
  const options = { keepBytes: KEEP_BYTES, timeoutMs: TIMEOUT_MS };
  const { exitCode, output, stopped } = await io.commands.run({ line, ...options });
  if (exitCode === NOT_FOUND)
    throw new ToolFailure("unavailable", "ruff is not installed: there is no program ruff.", {
      hint: "Install it: `pipx install ruff`.",
    });
  const text = new TextDecoder().decode(output?.head).trim();
  try {
    // Warnings come first.
    return (JSON.parse(/^\[.*\]$/ms.exec(text)?.[0] ?? "") as readonly unknown[]).flatMap(findingOf);
  } catch {
    const said = stopped ?? terminalText(text).slice(-2_000);
    throw new ToolFailure("tool_failed", `ruff could not check it: ${said}`);
  }
}

function findingOf(item: unknown): readonly Finding[] {
  if (!isRecord(item) || !isRecord(item["location"])) return [];
  const { filename, code, message, location } = item;
  const { row, column } = location as Readonly<Record<string, unknown>>;
  // What cannot be parsed has no code.
  const says = `${String(code ?? "error")} ${String(message)}`;
  return [{ path: String(filename), line: Number(row), column: Number(column), says }];
}
