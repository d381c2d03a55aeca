const SECTION = /^\s*\[\s*([\w.-]+)(?:\s*"(?:[^"\\]|\\.)*")?\s*\]/;
const ASSIGNMENT = /^\s*([A-Za-z][\w-]*)\s*=[ \t]*(.*)$/;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" };

/** One setting in the text of a git configuration, its section and key in small letters. */
export interface GitSetting {
  /** `core.hookspath`, `include.path`, `includeif.path`: without the quoted part of the section. */
  readonly name: string;
  readonly value: string;
}

/** Reads the text directly, because git would execute what it configures. Ignores lines that it does not understand. */
export function gitSettings(text: string): readonly GitSetting[] {
  const settings: GitSetting[] = [];
  let section = "";
  // A backslash at the end of a line continues it.
  for (const line of text
    .replaceAll("\r\n", "\n")
    .replaceAll(/(?<!\\)((?:\\\\)*)\\\n/g, "$1")
    .split("\n")) {
    const header = SECTION.exec(line);
    if (header !== null) section = (header[1] as string).toLowerCase().replace(/\..*$/, "");
    const rest = header === null ? line : line.slice(header[0].length);
    const [, key, value] = ASSIGNMENT.exec(rest) ?? [];
    if (key !== undefined && value !== undefined)
      settings.push({ name: `${section}.${key.toLowerCase()}`, value: unquoted(value) });
  }
  return settings;
}

function unquoted(text: string): string {
  let value = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] as string;
    if (sign === '"') isQuoted = !isQuoted;
    else if (sign === "\\") {
      at += 1;
      const next = text[at] ?? "";
      value += ESCAPES[next] ?? next;
    } else if (!isQuoted && (sign === "#" || sign === ";")) break;
    else value += sign;
  }
  return value.trim();
}
