import { bubblewrapSandbox } from "@toolkeep/node";
import { probeSandbox } from "@toolkeep/node/internal";
import { describe, expect, test } from "vitest";
import { CALL_CHECKS } from "./attacks/call-checks.ts";
import { CHECKS_BY_TOOL } from "./attacks/mapped-checks.ts";
import { OUTSIDE_CHECKS } from "./attacks/outside-checks.ts";
import { readMcpAttacks } from "./attacks/record.ts";
import { REGISTRATION_CHECKS } from "./attacks/registration-checks.ts";
import { closedToOthers } from "./closed-to-others.ts";

const ATTACKS = readMcpAttacks();
const CHECKS = { ...REGISTRATION_CHECKS, ...CALL_CHECKS, ...OUTSIDE_CHECKS };

test("there are 53 attacks by and through servers and 8 controls, each with what must come of it", () => {
  const particular = ATTACKS.filter(({ tool }) => CHECKS_BY_TOOL[tool] === undefined);
  expect(particular.map(({ id }) => id)).toEqual(Object.keys(CHECKS).toSorted());
  expect(new Set(ATTACKS.map(({ id }) => id)).size).toBe(61);
  expect(ATTACKS.filter(({ must }) => must.decision === "allow")).toHaveLength(8);
});

/** Measured by what the whole process holds. */
const ALONE: ReadonlySet<string> = new Set(["M016"]);
const { isolation } = await probeSandbox(bubblewrapSandbox());
const whyNotSandboxed =
  isolation === "files-and-network" ? closedToOthers(import.meta.dirname) : "no sandbox holds here";

describe("attacks by servers", () => {
  for (const attack of ATTACKS) {
    const { id, must } = attack;
    const isSkipped = id === "M030" && whyNotSandboxed !== undefined;
    const skipped = isSkipped ? `, skipped: ${whyNotSandboxed}` : "";
    const how = { concurrent: !ALONE.has(id), skip: isSkipped };
    test(`${id} ${must.decision}: ${must.invariant}${skipped}`, how, async () => {
      const check = CHECKS[id] ?? CHECKS_BY_TOOL[attack.tool];
      if (check === undefined) throw new Error("There is no check for this attack.");
      await check(attack);
    });
  }
});
