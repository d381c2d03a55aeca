import { type Effect, ToolFailure } from "@toolkeep/core";
import type { Grant } from "@toolkeep/core/ports";
import { describe, expect, test } from "vitest";
import { withGrant } from "../network/testing/with-grant.test.kit.ts";
import { declaredEnvironment } from "./declared-environment.ts";

const VALUES = { HOME: "/home/a", SECRET_TOKEN: "CANARY", EMPTY: "", UNSET: undefined };

describe("the environment of a call", () => {
  test("[C68] gives the values of declared names and of no others, and the refusal is recorded", async () => {
    const { value, refused } = await withGrant(
      { env: ["HOME", "EMPTY", "UNSET", "MISSING"] },
      async (grant) => {
        const environment = declaredEnvironment(grant, VALUES);
        expect(["HOME", "EMPTY", "UNSET", "MISSING"].map((name) => environment.read(name))).toEqual([
          "/home/a",
          "",
          undefined,
          undefined,
        ]);
        return failureOf(() => environment.read("SECRET_TOKEN"));
      },
    );
    expect(value).toMatchObject({ code: "out_of_scope" });
    expect(value.message).not.toContain("CANARY");
    expect(refused).toEqual(["env.read SECRET_TOKEN"]);
  });

  test("[C68] cannot be listed, copied or changed", async () => {
    await withGrant({ env: ["*"] }, async (grant) => {
      const environment = declaredEnvironment(grant, VALUES);
      expect(Object.keys(environment)).toEqual(["read"]);
      expect(JSON.stringify({ ...environment })).toBe("{}");
      expect(environment.read("*")).toBeUndefined();
      expect(Object.isFrozen(environment)).toBe(true);
    });
  });

  test("[C68] has no names that only the prototype of its values has", async () => {
    await withGrant({ env: ["*"] }, async (grant) => {
      const environment = declaredEnvironment(grant, VALUES);
      for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"])
        expect(environment.read(name)).toBeUndefined();
      const odd = declaredEnvironment(grant, JSON.parse('{"__proto__":"set","constructor":"set"}'));
      expect([odd.read("__proto__"), odd.read("constructor")]).toEqual(["set", "set"]);
    });
  });

  test("[C68] reads the name that was checked, also when it is given something that changes", async () => {
    const checked: string[] = [];
    const grant = { check: ({ target }: Effect) => void checked.push(target) } as Grant;
    const names = ["HOME", "SECRET_TOKEN"];
    const changing = { toString: () => names.shift() } as unknown as string;
    expect(declaredEnvironment(grant, VALUES).read(changing)).toBe("/home/a");
    expect(checked).toEqual(["HOME"]);
  });
});

function failureOf(act: () => unknown): ToolFailure {
  try {
    act();
  } catch (error) {
    if (ToolFailure.isInstance(error)) return error;
  }
  throw new Error("it did not fail");
}
