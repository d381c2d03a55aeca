import type { Scoreboard } from "./scoreboard.ts";

/** How many to pick, and how to order equal scores. */
export interface Order {
  readonly limit: number;
  comesBefore(one: number, other: number): boolean;
}

/** The numbers of the best tools, best first. */
export function pickBest({ count, tools, scores }: Scoreboard, order: Order): readonly number[] {
  const { limit, comesBefore } = order;
  const best: number[] = [];
  if (limit === 0) return best;
  let worst = 0;
  for (let at = 0; at < count; at += 1) {
    const tool = tools[at] ?? 0;
    const score = scores[tool] ?? 0;
    if (score < worst) continue;
    let position = best.length;
    while (position > 0 && isBetter(tool, best[position - 1] ?? 0)) position -= 1;
    if (position === limit) continue;
    best.splice(position, 0, tool);
    if (best.length > limit) best.pop();
    if (best.length === limit) worst = scores[best.at(-1) ?? 0] ?? 0;
  }
  return best;

  function isBetter(one: number, other: number): boolean {
    const [first = 0, second = 0] = [scores[one], scores[other]];
    return first === second ? comesBefore(one, other) : first > second;
  }
}
