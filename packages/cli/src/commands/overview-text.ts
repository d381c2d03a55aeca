import { type HelpItem, helpWidth, itemLines, laidOut, wrapped } from "../terminal/help-layout.ts";
import { AFTER_ALL, AFTER_OVERVIEW, DESCRIPTION, MORE_GROUPS, OPTIONS, OVERVIEW } from "./overview.ts";

/** The help of the program. It needs no library for command lines: to load one takes longer than Node's start. */
export function overviewText(width: number = helpWidth(), isAll = false): string {
  const after = [AFTER_OVERVIEW, AFTER_ALL].map((text) => `${laidOut(text, width)}\n`);
  return [overviewHelp(width, isAll), ...after].join("");
}

/** The commands that people type, or all of them. */
export function overviewHelp(width: number, isAll = false): string {
  const shown = OVERVIEW.filter(({ group }) => isAll || !MORE_GROUPS.includes(group));
  const groups = Map.groupBy(shown, ({ group }) => group);
  const sections: readonly (readonly [string, readonly HelpItem[]])[] = [
    ["Options:", OPTIONS],
    ...[...groups].map(
      ([group, commands]) =>
        [group, commands.map(({ name, description }) => [name, description] as const)] as const,
    ),
  ];
  const all = sections.flatMap(([, items]) => items);
  const parts = [
    "Usage: toolkeep [options] [command]",
    wrapped(DESCRIPTION, width).join("\n"),
    ...sections.map(([heading, items]) => [heading, ...itemLines(items, width, all)].join("\n")),
  ];
  return `${parts.join("\n\n")}\n`;
}
