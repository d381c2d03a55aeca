import { assertKnownKeys, invalidOption } from "../contract/values/error.ts";
import { SESSION_OPTIONS } from "./option-names.ts";
import type { SessionOptions, SessionPorts } from "./options.ts";

const SESSION_ID = /^[^/\p{Cc}]{1,256}$/u;

/** @throws ToolkeepError `invalid_option`. */
export function assertOptions(options: SessionOptions & SessionPorts): void {
  assertKnownKeys(options, Object.keys(SESSION_OPTIONS), "session option");
  if (options.id !== undefined && !SESSION_ID.test(options.id))
    throw invalidOption(
      "The session option `id` must be 1 to 256 characters, without slashes and control characters.",
    );
  if (options.tools !== undefined && !Array.isArray(options.tools)) {
    const names = typeof options.tools === "object" ? Object.keys(options.tools).join(", ") : "…";
    throw invalidOption(`The session option \`tools\` must be a list of tools: \`tools: [${names}]\`.`);
  }
  if (options.strategy !== undefined && !isStrategy(options.strategy))
    throw invalidOption('The session option `strategy` must be "parallel", "sequential" or { batched: 4 }.');
}

function isStrategy(given: unknown): boolean {
  if (given === "parallel" || given === "sequential") return true;
  return typeof given === "object" && given !== null && "batched" in given && Number(given.batched) >= 1;
}
