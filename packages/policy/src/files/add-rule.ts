import { isMap, isScalar, isSeq, parseDocument, type YAMLSeq } from "yaml";

const NEW_FILE = `# What agents may do, in all of your projects. The rules are described in
# docs/guides/policy-file.md of Toolkeep. \`toolkeep allow\` adds rules at the end.
version: 1
extends: [toolkeep:recommended]
rules:
`;

/**
 * The text of a policy file with one more rule at the end of its rules. Comments and formatting stay as they are; only
 * a list that is not written with one rule in a line is written anew. Without a text, a new file that extends the
 * recommended policy. The result is not checked: parse it.
 */
export function addRule(text: string | undefined, line: string): string {
  const item = `- ${scalar(line)}`;
  if (text === undefined || text.trim() === "") return `${NEW_FILE}  ${item}\n`;
  const document = parseDocument(text, { version: "1.2", schema: "core" });
  const { contents } = document;
  if (document.errors.length > 0 || !isMap(contents)) return text;
  const rules = contents.get("rules", true);
  if (rules === undefined && contents.flow !== true)
    return `${text.replace(/\n*$/, "\n")}rules:\n  ${item}\n`;
  if (isSeq(rules) && rules.flow !== true && rules.items.length > 0) return inserted(text, rules, item);
  if (isSeq(rules)) rules.add(document.createNode(line));
  else if (rules === undefined || (isScalar(rules) && rules.value === null)) document.set("rules", [line]);
  else return text;
  return document.toString({ lineWidth: 0 });
}

/** Puts a line after the last item, with the same indentation. */
function inserted(text: string, rules: YAMLSeq, item: string): string {
  const last = rules.items.at(-1) as { readonly range?: readonly [number, number, number] };
  const [start = 0, end = text.length] = last.range ?? [];
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const indent = /^\s*/.exec(text.slice(lineStart, start))?.[0] ?? "";
  // The value of a block scalar ends after its line break.
  const from = text[end - 1] === "\n" ? end - 1 : end;
  const lineEnd = text.indexOf("\n", from);
  const at = lineEnd === -1 ? text.length : lineEnd;
  return `${text.slice(0, at)}\n${indent}${item}${text.slice(at)}`;
}

/** Plain where YAML reads it as this text. */
function scalar(line: string): string {
  return /^[a-z][^:#\n]*$/.test(line) ? line : `'${line.replaceAll("'", "''")}'`;
}
