import type { LoggingLevel } from "@modelcontextprotocol/client";
import { createRedactor } from "@toolkeep/core";
import { harmlessText } from "@toolkeep/core/internal";
import type { ServerEntry } from "../../servers/server-entry.ts";
import { withinASecond } from "../link/within-a-second.ts";

/** A log message of a server, safe to show and of bounded length, without the secret values of its entry. */
export interface LogMessage {
  readonly level: LoggingLevel;
  readonly logger: string;
  readonly data: string;
}

const LEVELS: readonly LoggingLevel[] = [
  ...(["debug", "info", "notice", "warning"] as const),
  ...(["error", "critical", "alert", "emergency"] as const),
];
const MOST_TEXT = 2_000;
const LONGEST_LOGGER = 64;
const MOST_MESSAGES = 50;

/** Whether a message of this level is wanted if `least` is the lowest level. */
export function isLoud(level: LoggingLevel, least: LoggingLevel): boolean {
  return LEVELS.indexOf(level) >= LEVELS.indexOf(least);
}

/** The lower of two levels. */
export function quieter(one: LoggingLevel, other: LoggingLevel): LoggingLevel {
  return isLoud(one, other) ? other : one;
}

/** Reads the log messages of a server. Drops those above the limit of fifty per second. */
export function serverLog(entry: ServerEntry): (message: SentMessage) => LogMessage | undefined {
  const redactor = createRedactor();
  const secrets = entry.kind === "stdio" ? entry.env : entry.headers;
  for (const [name, value] of Object.entries(secrets)) redactor.add(name, value);
  const plain = (text: string, longest: number) => {
    const shown = harmlessText(redactor.redact(text));
    return shown.length > longest ? `${shown.slice(0, longest)} …` : shown;
  };
  const isInTime = withinASecond(MOST_MESSAGES);
  return ({ level, logger, data }) => {
    if (!isInTime()) return undefined;
    const text = typeof data === "string" ? data : (JSON.stringify(data) ?? "");
    const name = logger === undefined ? entry.name : `${entry.name}/${plain(logger, LONGEST_LOGGER)}`;
    return { level, logger: name, data: plain(text, MOST_TEXT) };
  };
}

interface SentMessage {
  readonly level: LoggingLevel;
  readonly logger?: string | undefined;
  readonly data: unknown;
}
