import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CliBench, OWN_LINE } from "./cli-bench.ts";

const PAGE = readFileSync(new URL("../../docs/guides/gateway.md", import.meta.url), "utf8");

/** The block that follows a marker in the guide. */
export function guideBlock(mark: string): string {
  const start = PAGE.indexOf(`<!-- ${mark} -->`);
  if (start < 0) throw new Error(`The guide has no mark ${mark}.`);
  const block = /```\w+\n([\s\S]*?)```/.exec(PAGE.slice(start))?.[1];
  if (block === undefined) throw new Error(`Nothing follows the mark ${mark}.`);
  return block;
}

/** The block as a value, with the paths of this bench instead of those of the guide. */
export function guideValue(mark: string, { environment }: CliBench): unknown {
  const launcher = join(environment.TOOLKEEP_HOME, "state/bin/toolkeep");
  const block = guideBlock(mark).replaceAll(SHOWN_LAUNCHER, launcher);
  return JSON.parse(block.replaceAll(`${SHOWN_NODE} ${SHOWN_PROGRAM}`, OWN_LINE));
}

const SHOWN_LAUNCHER = "/home/me/.local/state/toolkeep/bin/toolkeep";

const SHOWN_NODE = "/usr/local/bin/node";
const SHOWN_PROGRAM = "/usr/local/lib/node_modules/toolkeep/dist/main.js";

/** The arguments of a command in the guide. */
export function guideCommand(name: string): readonly string[] {
  return guideBlock(`run: ${name}`).trim().split(/\s+/);
}
