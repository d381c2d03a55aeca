import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateLine } from "./shell-fuzz/generate-line.ts";
import { Random } from "./shell-fuzz/random.ts";
import { type Action, type Decider, openDecider } from "./wrappers/decide-lines.ts";
import { recordedLines } from "./wrappers/lines.ts";
import { beginsWithProgram, isWhole, quotedForAll, WRAPPINGS } from "./wrappers/wrappings.ts";

/*
 * A line that is run by a shell, behind `env` or in a subshell is decided like the line itself, and a list is decided at
 * least as strictly as each of its parts. `npm run campaign:wrappers` looks at all recorded lines and at many more.
 */

const runs = Number(process.env["TOOLKEEP_RUNS"] ?? 0);
const seed = Number(process.env["TOOLKEEP_SEED"] ?? Date.now() % 1_000_000);
const random = new Random(seed);
const SAMPLE = 40;

let decider: Decider;
beforeAll(async () => {
  decider = await openDecider();
});
afterAll(() => decider[Symbol.asyncDispose]());

const STRICTNESS: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2, unreadable: 2 };

/** The lines that are decided in another way when they are wrapped. */
async function differences(
  lines: readonly string[],
  wrappings: readonly (readonly [string, (line: string) => string])[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const line of lines.filter(isWhole)) {
    const bare = await decider.decide(line);
    for (const [name, wrapped] of wrappings) {
      if (/^(?:env|timeout|nohup)$/.test(name) && !beginsWithProgram(line)) continue;
      const { action, why } = await decider.decide(wrapped(line));
      if (STRICTNESS[action] !== STRICTNESS[bare.action])
        found.push(`${JSON.stringify(wrapped(line))}: ${bare.action} (${bare.why}), not ${action} (${why})`);
    }
  }
  return found;
}

function some<Item>(items: readonly Item[]): readonly Item[] {
  return runs > 0 ? items : Array.from({ length: SAMPLE }, () => random.pick(items));
}

describe(`what wraps a line, seed ${seed}`, () => {
  test("changes no decision about recorded lines", async () => {
    const wrappings = Object.entries(WRAPPINGS);
    const lines = some(recordedLines());
    expect(await differences(lines, runs > 0 ? wrappings : [random.pick(wrappings)])).toEqual([]);
  });

  test("changes no decision about generated lines", async () => {
    const found: string[] = [];
    for (let made = 0; made < Math.max(runs, SAMPLE); made += 1)
      found.push(...(await differences([generateLine(random)], [random.pick(Object.entries(WRAPPINGS))])));
    expect(found).toEqual([]);
  });

  test("is seen to change them where the line is not quoted", async () => {
    const lines = ["git log --format='%h $(id)'", "echo 'a \" b'", "ls 'a`b`'", "echo '$HOME'"];
    const unquoted = (line: string) => `bash -c "${line}"`;
    expect((await differences(lines, [["unquoted", unquoted]])).length).toBeGreaterThan(1);
    expect(await differences(lines, [["quoted", (line) => `bash -c ${quotedForAll(line)}`]])).toEqual([]);
  });
});

test("a list is decided at least as strictly as each of its parts", async () => {
  const lines = recordedLines().filter(
    (line) => isWhole(line) && !/[\n#]|<<|[&;\\]\s*$|\b(?:cd|pushd|popd)\b/.test(line),
  );
  const looser: string[] = [];
  for (let made = 0; made < Math.max(runs / 10, SAMPLE); made += 1) {
    const [one, other] = [random.pick(lines), random.pick(lines)];
    const list = `${one}${random.pick([" && ", "; ", " || ", "\n"])}${other}`;
    const parts = [await decider.decide(one), await decider.decide(other)].map(({ action }) => action);
    // Two lines of which each has a quote that does not close are another line together.
    if (parts.includes("unreadable")) continue;
    const strictest = Math.max(...parts.map((action) => STRICTNESS[action]));
    if (STRICTNESS[(await decider.decide(list)).action] < strictest) looser.push(list);
  }
  expect(looser).toEqual([]);
});
