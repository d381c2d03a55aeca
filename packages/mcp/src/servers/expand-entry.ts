import type { ServerEntry } from "./server-entry.ts";

export interface EntryValues {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What `${workspaceFolder}` stands for. */
  readonly workspaceFolder?: string;
}

/** An entry without variables, or the reason why they cannot be expanded. */
export type ExpandedEntry =
  | { readonly entry: ServerEntry; readonly error?: undefined }
  | { readonly entry?: undefined; readonly error: string };

const VARIABLE = /\$\{([^{}]*)\}/g;
const NAME = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

/**
 * Replaces `${NAME}`, `${NAME:-otherwise}`, `${env:NAME}` and `${workspaceFolder}` in an entry. A missing value is an
 * error and never an empty string. Values are not expanded again.
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
      ? { error: `\`\${workspaceFolder}\` has no value: no project is open` }
      : { value: workspaceFolder };
  }
  if (inner === "userHome") return fromEnvironment("HOME", undefined, environment);
  if (inner.startsWith("input:")) {
    return {
      error: `\`\${${inner}}\` needs an editor: set an environment variable and write \`\${NAME}\` instead`,
    };
  }
  const [, name, otherwise] = NAME.exec(inner) ?? [];
  if (name === undefined)
    return { error: `\`\${${inner}}\` is unknown: write \`\${NAME}\` for an environment variable` };
  return fromEnvironment(name, otherwise, environment);
}

function fromEnvironment(
  name: string,
  otherwise: string | undefined,
  environment: EntryValues["environment"],
): Found {
  const set = Object.hasOwn(environment, name) ? environment[name] : undefined;
  // As in shells: the default after `:-` also applies to a variable that is set and empty.
  const value = set === undefined || set === "" ? (otherwise ?? set) : set;
  return value === undefined
    ? { error: `the environment variable ${name} is not set: set it where this program is started` }
    : { value };
}

/** A NUL ends a string for the operating system, and a line break ends a header. */
function unfit(entry: ServerEntry): string | undefined {
  if (entry.kind === "stdio") {
    const texts = [entry.command, ...entry.args, ...Object.entries(entry.env).flat(), entry.cwd ?? ""];
    if (texts.some((text) => text.includes("\0"))) return "it contains a NUL character";
    return entry.command.trim() === "" ? "its command is empty" : undefined;
  }
  if (
    Object.entries(entry.headers)
      .flat()
      .some((text) => /[\0\r\n]/.test(text))
  )
    return "a header contains a line break";
  const url = URL.parse(entry.url);
  if (url === null) return "its `url` is not a URL";
  return url.protocol === "https:" || url.protocol === "http:"
    ? undefined
    : "its `url` is neither https nor http";
}
