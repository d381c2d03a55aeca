import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANGED_MEANINGS } from "../respellings/changed-meanings.ts";
import { differencesIn, textOf } from "../respellings/compare-respellings.ts";
import { allLines } from "../respellings/lines.ts";
import { respellLine } from "../respellings/respell-line.ts";
import { Random } from "../shell-fuzz/random.ts";
import { type ModeDecider, openModeDecider } from "./decide-in-modes.ts";

/*
 * A line that is written in another way gets the same answer. This is a short run; `npm run campaign:respellings` spells
 * every line in 50 ways.
 */

const seed = Number(process.env["TOOLKEEP_SEED"] ?? Date.now() % 1_000_000);
const random = new Random(seed);
const SAMPLE = 100;

let decider: ModeDecider;
beforeAll(async () => {
  decider = await openModeDecider([]);
});
afterAll(() => decider[Symbol.asyncDispose]());

describe(`another spelling of a line, seed ${seed}`, () => {
  test("gets the same answer", async () => {
    const lines = allLines();
    const spelled = Array.from({ length: SAMPLE }, () => {
      const line = random.pick(lines);
      return { line, spelling: respellLine(line, random) };
    });
    expect((await differencesIn(decider, spelled)).map(textOf)).toEqual([]);
  });

  test.each([
    ["npx tsc --noEmit", "/usr/bin/npx tsc --noEmit"],
    ["curl -s http://localhost:3000/health", "timeout 60 /usr/bin/curl http://localhost:3000/health -s"],
    ["rg -n 'func .*Store' -g '*.go' | head", "rg -g'*.go' -n 'func .*Store' | head"],
    ["rg -n 'func .*Store' -g '*.go' | head", "rg -g '*.go' -n 'func .*Store' | head"],
    ["cat .env", "timeout 60 /usr/bin/cat .env"],
    ["git ls-files | xargs grep -l TODO", "/usr/bin/git ls-files | xargs /usr/bin/grep -l TODO"],
    ["git log --oneline", "\\git l\\og --on'elin'e"],
    ["mv tools t2; mkdir -p tools/a", "mv tools t2; env /usr/bin/mkdir tools/a -p"],
    ["yarn -v", "/usr/bin/yarn -v"],
    ["node --test test/", "/usr/bin/node --test test/"],
  ])("is decided like %j: %j", async (line, spelling) => {
    expect((await differencesIn(decider, [{ line, spelling }])).map(textOf)).toEqual([]);
  });

  test("is seen to be none where it does something else", async () => {
    const changed = CHANGED_MEANINGS.map(([line, other]) => ({ line, spelling: respellLine(other, random) }));
    expect((await differencesIn(decider, changed)).map(({ line }) => line)).toEqual(
      CHANGED_MEANINGS.map(([line]) => line),
    );
  });
});
