import { AFTER_ALL, AFTER_OVERVIEW, DESCRIPTION, OPTIONS, OVERVIEW } from "./overview.ts";

const TERMS = [...OPTIONS.map(([flags]) => flags), ...OVERVIEW.map(({ name }) => name)];
const TERM_WIDTH = Math.max(...TERMS.map((term) => term.length));
const USUAL_WIDTH = 80;
const NARROWEST = 40;

/** The help of the program, as the library for command lines writes it. To load that takes longer than Node's start. */
export function overviewText(width: number = USUAL_WIDTH): string {
  const groups = Map.groupBy(OVERVIEW, ({ group }) => group);
  const parts = [
    "Usage: toolkeep [options] [command]",
    wrapped(DESCRIPTION, width).join("\n"),
    section("Options:", OPTIONS, width),
    ...[...groups].map(([group, commands]) =>
      section(
        group,
        commands.map(({ name, description }) => [name, description]),
        width,
      ),
    ),
  ];
  return `${parts.join("\n\n")}\n${AFTER_OVERVIEW}\n${AFTER_ALL}\n`;
}

function section(
  heading: string,
  items: readonly (readonly [term: string, description: string])[],
  width: number,
): string {
  const indent = " ".repeat(TERM_WIDTH + 4);
  const lines = items.map(
    ([term, description]) =>
      `  ${term.padEnd(TERM_WIDTH)}  ${wrapped(description, width - indent.length).join(`\n${indent}`)}`,
  );
  return [heading, ...lines].join("\n");
}

/** Lines of at most this width, unless that is too narrow to read. */
function wrapped(text: string, width: number): readonly string[] {
  if (width < NARROWEST) return [text];
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
