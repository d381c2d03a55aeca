import type { ServerEntry } from "@toolkeep/mcp";
import { entryLines, isReadable } from "../gateway/server-lines.ts";

/** What would be accepted with a server, as it is written. Both ways are shown where it has a command and an address. */
export function movedLines(name: string, written: unknown): readonly string[] {
  return [`${name}:`, ...writtenEntries(name, written).flatMap(entryLines)];
}

/** Whether all of it can be read before it is accepted. */
export function canBeRead(name: string, written: unknown): boolean {
  return writtenEntries(name, written).every(isReadable);
}

function writtenEntries(name: string, written: unknown): readonly ServerEntry[] {
  if (typeof written !== "object" || written === null) return [];
  const { command, args, env, cwd, url, httpUrl, serverUrl, headers } = written as Record<string, unknown>;
  const place = { name, isOfProject: true } as const;
  const address = url ?? httpUrl ?? serverUrl;
  const start: ServerEntry = {
    ...place,
    kind: "stdio",
    command: textOf(command),
    args: Array.isArray(args) ? args.map(textOf) : args === undefined ? [] : [textOf(args)],
    env: textsOf(env),
    ...(cwd === undefined ? {} : { cwd: textOf(cwd) }),
  };
  const reach: ServerEntry = { ...place, kind: "http", url: textOf(address), headers: textsOf(headers) };
  return [...(command === undefined ? [] : [start]), ...(address === undefined ? [] : [reach])];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function textsOf(value: unknown): Record<string, string> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, textOf(one)]));
}
