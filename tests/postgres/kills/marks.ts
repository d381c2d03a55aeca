import { existsSync, readFileSync } from "node:fs";

/** The tools of the campaign. `often` does what `plain` does without the gate, and shows what the gate prevents. */
export const KINDS = ["plain", "announced", "recovered", "often"] as const;
export type Kind = (typeof KINDS)[number];

/**
 * What left a mark. `acting`: right before the tool announces its effect. `return`: its caller has the result.
 */
export type Moment = "begin" | "acting" | "effect" | "return";

interface Mark {
  readonly life: string;
  readonly moment: Moment;
  readonly kind: Kind;
  readonly key: string;
}

/** One line of the file that outlives every process. */
export function markLine({ life, moment, kind, key }: Mark): string {
  return `${life} ${moment} ${kind} ${key}\n`;
}

export function marksIn(path: string): readonly Mark[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const [life = "", moment, kind, key = ""] = line.split(" ");
      return { life, moment: moment as Moment, kind: kind as Kind, key };
    });
}

/** The keys with a mark of such a moment, as often as it was left. */
export function keysAt(marks: readonly Mark[], moment: Moment): readonly string[] {
  return marks.filter((mark) => mark.moment === moment).map(({ key }) => key);
}

export type Counts = Readonly<Record<Kind, number>>;

/** How many calls of each kind had begun in these lives, and had not returned to their caller. */
export function inFlight(path: string, isMeant: (life: string) => boolean): Counts {
  const running = new Map<string, Kind>();
  for (const { life, moment, kind, key } of marksIn(path)) {
    if (!isMeant(life)) continue;
    if (moment === "begin") running.set(key, kind);
    else if (moment === "return") running.delete(key);
  }
  const counts = { plain: 0, announced: 0, recovered: 0, often: 0 };
  for (const kind of running.values()) counts[kind] += 1;
  return counts;
}
