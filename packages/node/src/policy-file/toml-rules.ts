import type { PolicyDiagnostic } from "./diagnostic.ts";

type TomlValue = string | number | boolean | readonly string[];

/** One `[[rule]]`. */
export interface TomlRule {
  readonly line: number;
  readonly fields: ReadonlyMap<string, TomlValue>;
}

const STRING = String.raw`"(?:[^"\\]|\\["\\bfnrt])*"|'[^']*'`;
const ITEM = String.raw`(?:${STRING})\s*`;
const VALUE = new RegExp(
  String.raw`^(?:(${STRING})|\[\s*((?:${ITEM}(?:,\s*${ITEM})*(?:,\s*)?)?)\]|(-?\d+)|(true|false))\s*(?:#.*)?$`,
);

const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Reads a TOML file that holds nothing but rules with plain values. Whatever else stands there is a problem. */
export function readTomlRules(
  text: string,
  file: string,
): { readonly rules: readonly TomlRule[]; readonly diagnostics: readonly PolicyDiagnostic[] } {
  const rules: { line: number; fields: Map<string, TomlValue> }[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    if (/^\[\[\s*rule\s*\]\]\s*(?:#.*)?$/.test(line)) rules.push({ line: index + 1, fields: new Map() });
    else if (!readField(line, rules.at(-1)?.fields)) {
      const message = "This is more than a plain rule, so the file is not imported.";
      return { rules: [], diagnostics: [{ file, line: index + 1, column: 1, message }] };
    }
  }
  return { rules, diagnostics: [] };
}

function readField(line: string, fields: Map<string, TomlValue> | undefined): boolean {
  const [, key, rest] = /^([A-Za-z_]+)\s*=\s*(.*)$/.exec(line) ?? [];
  if (fields === undefined || key === undefined || rest === undefined || fields.has(key)) return false;
  const found = VALUE.exec(rest);
  if (found === null) return false;
  const [, text, list, number, flag] = found;
  if (text !== undefined) fields.set(key, stringOf(text));
  else if (list !== undefined) fields.set(key, (list.match(new RegExp(STRING, "g")) ?? []).map(stringOf));
  else fields.set(key, number === undefined ? flag === "true" : Number(number));
  return true;
}

function stringOf(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  return text.slice(1, -1).replaceAll(/\\(.)/g, (_escape, char: string) => ESCAPES[char] ?? char);
}
