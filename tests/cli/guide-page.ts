import { readFileSync } from "node:fs";

const PAGE = readFileSync(new URL("../../docs/guides/gateway.md", import.meta.url), "utf8");

/** The block that follows a mark in the guide, as it stands there. */
export function guideBlock(mark: string): string {
  const start = PAGE.indexOf(`<!-- ${mark} -->`);
  if (start < 0) throw new Error(`The guide has no mark ${mark}.`);
  const block = /```\w+\n([\s\S]*?)```/.exec(PAGE.slice(start))?.[1];
  if (block === undefined) throw new Error(`Nothing follows the mark ${mark}.`);
  return block;
}

/** The words of a command in the guide. */
export function guideCommand(name: string): readonly string[] {
  return guideBlock(`run: ${name}`).trim().split(/\s+/);
}
