import { entryOf, isDestruction } from "@toolkeep/catalog";
import type { Rule } from "@toolkeep/core";

/** What a rule that allows does not allow, although its words may be read so. */
export function ruleNote({ action, permission, pattern = "" }: Rule): string | undefined {
  if (action !== "allow") return undefined;
  if (permission === "mcp.call") return undescribedAlone(pattern);
  const [, program] = permission === "shell.run" ? (/^([^\s*?]+) \*\*?$/.exec(pattern) ?? []) : [];
  const example = program === undefined ? undefined : destroying(program);
  return example && `What destroys asks nevertheless, such as ${example}, unless a rule names it.`;
}

function destroying(program: string): string | undefined {
  const { commands = {}, dialect } = entryOf(program) ?? {};
  if (dialect !== undefined) return "statements that delete data";
  const [words] =
    Object.entries(commands).find(([, one]) =>
      isDestruction((typeof one === "string" ? one : one.does) ?? ""),
    ) ?? [];
  return words && `\`${program} ${words.replaceAll(/\|\S+/g, "")}\``;
}

function undescribedAlone(pattern: string): string {
  const tools = pattern.startsWith("mcp:") ? pattern : "mcp:SERVER:TOOL";
  return `It applies to servers that Toolkeep does not describe. Tools of the others are decided by what they do, unless a rule names them: write \`allow ${tools}\`.`;
}
