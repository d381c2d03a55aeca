import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type CliBench, OWN_LINE } from "./cli-bench.ts";

/** A guide whose blocks are named by comments. */
export function guidePage(name: string) {
  const page = readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), "utf8");
  /** The block that follows a marker. */
  const block = (mark: string): string => {
    const start = page.indexOf(`<!-- ${mark} -->`);
    if (start < 0) throw new Error(`The guide has no mark ${mark}.`);
    const text = /```\w+\n([\s\S]*?)```/.exec(page.slice(start))?.[1];
    if (text === undefined) throw new Error(`Nothing follows the mark ${mark}.`);
    return text;
  };
  return {
    text: page,
    block,
    /** The names of the commands, in the order of the page. */
    runs: Array.from(page.matchAll(/<!-- run: (\S+) -->/g), ([, run = ""]) => run),
    /** The block as a value, with the paths of this bench instead of those of the guide. */
    value: (mark: string, { environment }: CliBench): unknown => {
      const launcher = join(environment.TOOLKEEP_HOME, "state/bin/toolkeep");
      const placed = block(mark).replaceAll(SHOWN_LAUNCHER, launcher);
      return JSON.parse(placed.replaceAll(`${SHOWN_NODE} ${SHOWN_PROGRAM}`, OWN_LINE));
    },
    /** The arguments of a command. */
    command: (run: string): readonly string[] => block(`run: ${run}`).trim().split(/\s+/),
    /** Matches what a command prints: `…` stands for some text of a line, on a line of its own for some lines. */
    shown: (run: string): RegExp => patternOf(block(`shows: ${run}`)),
  };
}

const SHOWN_LAUNCHER = "/home/me/.local/state/toolkeep/bin/toolkeep";

const SHOWN_NODE = "/usr/local/bin/node";
const SHOWN_PROGRAM = "/usr/local/lib/node_modules/toolkeep/dist/main.js";

function patternOf(text: string): RegExp {
  const lines = text.trimEnd().split("\n");
  const patterns = lines.map((line) =>
    line.trim() === "…" ? "(?:.*\n)*?" : `${line.split("…").map(RegExp.escape).join(".*")}\n`,
  );
  return new RegExp(`^${patterns.join("")}`, "m");
}
