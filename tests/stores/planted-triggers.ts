import { createSession, type SessionStore } from "@toolkeep/core";
import { stubTool } from "@toolkeep/core/testing";
import { expect, test } from "vitest";

/** A store, and a way to plant something in its database. */
export interface PlantedStore {
  readonly store: SessionStore;
  plant(sql: string): Promise<void> | void;
}

const PAY = { id: "1", name: "pay", arguments: {} };

/** What a trigger that was planted in a store can do: nothing runs that is not recorded. `plants` are statements. */
export function testPlantedTriggers(
  open: () => Promise<PlantedStore>,
  plants: readonly (readonly [what: string, sql: string])[],
): void {
  const paying = (store: SessionStore, rules: readonly string[]) => {
    const { tool, executed } = stubTool("pay", () => "paid", { idempotent: false });
    const approver = async () => "later" as const;
    return {
      executed,
      open: (id: string) => createSession({ id, store, tools: [tool], policy: rules, approver }),
    };
  };

  test.each(plants)("a call does not run once there is %s", async (_what, sql) => {
    const { store, plant } = await open();
    const { executed, open: session } = paying(store, ["allow pay"]);
    const before = await session("before");
    await before.run([PAY], { id: "t1" });
    expect(executed).toHaveLength(1);
    await plant(sql);
    const running = before.run([PAY], { id: "t2" });
    // The journal may have failed already, with what it wrote by itself.
    await expect(running).rejects.toThrow(/could change the record.*DROP (TRIGGER|RULE)|its journal failed/);
    await before.leave().catch(() => undefined);
    await expect(session("new").then((one) => one.run([PAY]))).rejects.toThrow("could change the record");
    expect(executed).toHaveLength(1);
  });

  test.each(plants)("an answer is not lost without a word once there is %s", async (_what, sql) => {
    const { store, plant } = await open();
    const { open: session } = paying(store, ["ask pay"]);
    const asking = await session("s");
    await asking.run([PAY], { id: "t1" });
    await asking.leave();
    await plant(sql);
    const given = store.answer({ sessionId: "s", id: "t1/1" }, { verdict: "once" });
    await expect(given).rejects.toThrow("could change the record");
    await expect(store.sendMessage("s", { text: "hello" })).rejects.toThrow("could change the record");
    expect(await store.waiting()).toHaveLength(1);
  });
}
