import { OVERVIEW } from "./overview.ts";

export const DESCRIPTION = "Permissions, approvals and an audit log for the tool calls of AI agents.";

/** Follows the list of commands. */
export const AFTER_OVERVIEW = `
Run \`toolkeep COMMAND --help\` to see the options and examples of a command.

Exit codes: 0 success, 1 failure, 2 invalid usage (from \`hook\`: the call is blocked), 3 denied, 4 confirmation
required, 130 and 143 ended by SIGINT or SIGTERM, 141 standard output was closed early.`;

/** Follows every help text. */
export const AFTER_ALL = `
Documentation: https://github.com/toolkeep/toolkeep/blob/main/docs/reference/command-line.md`;

const OPTIONS: readonly (readonly [flags: string, description: string])[] = [
  ["--json", "write data and errors as JSON"],
  ["-q, --quiet", "write only data and errors"],
  ["--cwd <dir>", "run as if started in this directory"],
  ["-V, --version", "show the version"],
  ["-h, --help", "show help"],
];

const TERM_WIDTH = Math.max(...[...OPTIONS.map(([flags]) => flags), ...names()].map((term) => term.length));
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

function names(): readonly string[] {
  return OVERVIEW.map(({ name }) => name);
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
