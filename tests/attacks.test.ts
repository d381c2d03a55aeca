import { expect, test } from "vitest";
import { BY_OUTCOME, type Check } from "./attacks/outcomes.ts";
import { PLANNED } from "./attacks/planned.ts";
import { REAL_CHECKS } from "./attacks/real-checks.ts";
import { type Attack, readAttacks } from "./attacks/record.ts";
import { RULE_CHECKS } from "./attacks/rule-checks.ts";
import { isShownByInstall, SECRET_CHECKS, SPOOF_CHECKS } from "./attacks/text-checks.ts";

const ATTACKS = readAttacks();
const PARTICULAR: Readonly<Record<string, Check>> = {
  ...RULE_CHECKS,
  ...SPOOF_CHECKS,
  ...SECRET_CHECKS,
};

/** The dry-run tools do not cover these. */
const REAL_ALONE: ReadonlySet<string> = new Set(["D015", "U018"]);
const held = new Set<string>();

for (const attack of ATTACKS) {
  const { id, must } = attack;
  const reason = PLANNED[id];
  test(`${id} ${must.invariant}${reason === undefined ? "" : ", as far as it can be shown"}`, async () => {
    for (const check of checksOf(attack)) await check(attack);
    held.add(id);
  });
  if (reason !== undefined) test.todo(`${id} planned: ${reason}`);
}

/** With dry-run tools, which show the decision, and with real tools where necessary. */
function checksOf({ id, must, tool }: Attack): readonly Check[] {
  if (tool === "install") return [isShownByInstall];
  const byDryRunTools = REAL_ALONE.has(id) ? undefined : (PARTICULAR[id] ?? BY_OUTCOME[must.outcome]);
  const checks = [byDryRunTools, REAL_CHECKS[id]].filter((check) => check !== undefined);
  expect(checks.length).toBeGreaterThan(0);
  return checks;
}

test("of 84 attacks 83 are held off, 1 is planned, and none is forgotten", () => {
  const ids = ATTACKS.map(({ id }) => id);
  const planned = ids.filter((id) => PLANNED[id] !== undefined);
  const whole = ids.filter((id) => held.has(id) && PLANNED[id] === undefined);
  expect(new Set(ids).size).toBe(84);
  expect(ids.filter((id) => !held.has(id) && PLANNED[id] === undefined)).toEqual([]);
  expect([whole.length, planned.length]).toEqual([83, 1]);
  expect(Object.keys(PLANNED).filter((id) => !ids.includes(id))).toEqual([]);
});
