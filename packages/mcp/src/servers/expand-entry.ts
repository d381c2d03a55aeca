import type { ServerEntry } from "./server-entry.ts";

export interface EntryValues {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What `${workspaceFolder}` stands for. */
  readonly workspaceFolder?: string;
}

/** An entry in which nothing is left to be looked up, or why that cannot be had. */
export type ExpandedEntry =
  | { readonly entry: ServerEntry; readonly error?: undefined }
  | { readonly entry?: undefined; readonly error: string };

const VARIABLE = /\$\{([^{}]*)\}/g;
const NAME = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

/**
 * Replaces `${NAME}`, `${NAME:-otherwise}`, `${env:NAME}` and `${workspaceFolder}` in what an entry says. A value
 * that is missing is a fault and never an empty text. Values are not looked through again.
 */
export function expandEntry(entry: ServerEntry, values: EntryValues): ExpandedEntry {
  const errors: string[] = [];
  const expand = (text: string) =>
    text.replaceAll(VARIABLE, (_whole, inner: string) => {
      const { value, error } = lookUp(inner, values);
      if (error !== undefined) errors.push(error);
      return value ?? "";
    });
  const all = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, expand(text)]));
  const expanded: ServerEntry =
    entry.kind === "stdio"
      ? {
          ...entry,
          command: expand(entry.command),
          args: entry.args.map(expand),
          env: all(entry.env),
          ...(entry.cwd === undefined ? {} : { cwd: expand(entry.cwd) }),
        }
      : { ...entry, url: expand(entry.url), headers: all(entry.headers) };
  const [error = unfit(expanded)] = errors;
  return error === undefined ? { entry: expanded } : { error };
}

interface Found {
  readonly value?: string;
  readonly error?: string;
}

function lookUp(inner: string, { environment, workspaceFolder }: EntryValues): Found {
  if (inner === "workspaceFolder") {
    return workspaceFolder === undefined
      ? { error: `\`\${workspaceFolder}\` stands for nothing here: no project is open` }
      : { value: workspaceFolder };
  }
  if (inner === "userHome") return fromEnvironment("HOME", undefined, environment);
  if (inner.startsWith("input:")) {
    return {
      error: `\`\${${inner}}\` is asked for by an editor alone: set an environment value and write \`\${NAME}\` instead`,
    };
  }
  const [, name, otherwise] = NAME.exec(inner) ?? [];
  if (name === undefined)
    return { error: `nobody knows \`\${${inner}}\` here: write \`\${NAME}\` for an environment value` };
  return fromEnvironment(name, otherwise, environment);
}

function fromEnvironment(
  name: string,
  otherwise: string | undefined,
  environment: EntryValues["environment"],
): Found {
  const set = Object.hasOwn(environment, name) ? environment[name] : undefined;
  // As shells do: what stands after `:-` also counts for one that is set and empty.
  const value = set === undefined || set === "" ? (otherwise ?? set) : set;
  return value === undefined
    ? { error: `the environment value ${name} is not set: set it where this program is started` }
    : { value };
}

/** A NUL ends a text for the operating system, and a line end ends a header. */
function unfit(entry: ServerEntry): string | undefined {
  if (entry.kind === "stdio") {
    const texts = [entry.command, ...entry.args, ...Object.entries(entry.env).flat(), entry.cwd ?? ""];
    if (texts.some((text) => text.includes("\0"))) return "a NUL character is in what it says";
    return entry.command.trim() === "" ? "its command is empty" : undefined;
  }
  if (
    Object.entries(entry.headers)
      .flat()
      .some((text) => /[\0\r\n]/.test(text))
  )
    return "a header has a line end in it";
  const url = URL.parse(entry.url);
  if (url === null) return "its `url` is no address";
  return url.protocol === "https:" || url.protocol === "http:"
    ? undefined
    : "its `url` is neither https nor http";
}
