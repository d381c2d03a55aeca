import { describe, expect, test } from "vitest";
import { call, FAST_RETRY, once } from "../../../../../../tests/scenario.ts";
import { ToolFailure } from "../../../contract/call/result.ts";
import { createSession } from "../../../session/create-session.ts";
import { stubTool } from "../../../testing/stub-tool.ts";

describe("retries", () => {
  const flaky = (failures: number, error: () => Error, more = {}) => {
    let left = failures;
    return stubTool(
      "flaky",
      () => {
        left -= 1;
        if (left >= 0) throw error();
        return "got it";
      },
      more,
    );
  };
  const transient = () => new ToolFailure("busy", "Busy.", { transient: true });

  test("[C88] three attempts, with a growing wait between them", async () => {
    const twice = flaky(2, transient);
    const { outcome } = await once({ tools: [twice.tool], limits: FAST_RETRY }, call("flaky"));
    expect(outcome).toMatchObject({ ok: true, data: "got it", attempts: 3 });
    const triedAt: number[] = [];
    const always = flaky(9, () => {
      triedAt.push(performance.now());
      return transient();
    });
    const session = await createSession({ tools: [always.tool], limits: { retry: { unitMs: 40 } } });
    expect(await session.call(call("flaky"))).toMatchObject({
      ok: false,
      attempts: 3,
      failure: { code: "busy" },
    });
    const [first = 0, second = 0, third = 0] = triedAt;
    expect(second - first).toBeGreaterThan(1.5 * 40 - 5);
    expect(third - second).toBeGreaterThan(1.5 ** 2 * 40 - 5);
    expect(triedAt).toHaveLength(3);
  });

  test("[C89] what trying again cannot help is not tried again, even by the eager profile", async () => {
    const eager = { retry: { unitMs: 2, on: "any" as const } };
    for (const code of ["ENOENT", "not_found", "boundary_violation", "out_of_scope", "tests_failed"]) {
      const tool = flaky(9, () => Object.assign(new Error(code), { code }));
      await once({ tools: [tool.tool], limits: eager }, call("flaky"));
      expect(tool.executed).toHaveLength(1);
    }
    const other = flaky(1, () => new Error("odd"), { idempotent: false });
    expect((await once({ tools: [other.tool], limits: eager }, call("flaky"))).outcome.attempts).toBe(2);
  });

  test("only passing failures of tools that may run twice are tried again", async () => {
    const unsafe = flaky(1, transient, { idempotent: false });
    await once({ tools: [unsafe.tool], limits: FAST_RETRY }, call("flaky"));
    expect(unsafe.executed).toHaveLength(1);
    const network = flaky(1, () => new Error("fetch failed", { cause: { code: "ECONNRESET" } }));
    expect((await once({ tools: [network.tool], limits: FAST_RETRY }, call("flaky"))).outcome.ok).toBe(true);
  });

  test("a person is asked once for a call, however often it is tried", async () => {
    let asked = 0;
    const tool = flaky(2, transient, { requires: { fs: { read: ["/**"] } } });
    const approver = async () => {
      asked += 1;
      return { verdict: "once" } as const;
    };
    await once({ tools: [tool.tool], limits: FAST_RETRY, approver }, call("flaky"));
    expect(asked).toBe(1);
  });
});
