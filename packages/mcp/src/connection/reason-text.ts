import { createRedactor, ToolFailure } from "@toolkeep/core";
import { harmlessText } from "@toolkeep/core/internal";
import type { ServerEntry } from "../servers/server-entry.ts";
import type { Link } from "./link/link.ts";

const MOST_REASON = 2_000;

/** Describes why a server is not connected, without the secret values of its entry. */
export function reasonText(entry: ServerEntry): (error: unknown, link: Link | undefined) => string {
  const redactor = createRedactor();
  const secrets = entry.kind === "stdio" ? entry.env : entry.headers;
  for (const [name, value] of Object.entries(secrets)) redactor.add(name, value);
  return (error, link) => {
    const parts = [sentence(messageOf(link?.error ?? error, entry)), link?.lastMessage() ?? ""];
    const text = harmlessText(redactor.redact(parts.filter((part) => part !== "").join(" ")));
    return text.length > MOST_REASON ? `${text.slice(0, MOST_REASON)} …` : text;
  };
}

/** Messages of other libraries may lack the full stop. */
function sentence(text: string): string {
  return text === "" || /[.!?…:]$/.test(text) ? text : `${text}.`;
}

function messageOf(error: unknown, entry: ServerEntry): string {
  if (error === undefined) return "The connection was lost.";
  if (!(error instanceof Error)) return String(error);
  if (ToolFailure.isInstance(error)) return error.message;
  if (entry.kind === "stdio" && "code" in error) {
    if (error.code === "ENOENT")
      return `The program ${entry.command}, or its working directory, was not found.`;
    if (error.code === "EACCES") return `The program ${entry.command} is not executable.`;
  }
  return error.message;
}
