import { test } from "vitest";
import { readAttacks } from "./record.ts";
import { playAttack } from "./stage.ts";
test("explore", async () => {
  for (const a of readAttacks()) {
    const t = performance.now();
    const { result, approver, executions, written } = await playAttack(a);
    const w = await written();
    console.log(a.id, a.must.outcome, `${(performance.now()-t).toFixed(1)}ms`, JSON.stringify(result.failure ?? result.data), "asks", approver.requests.length, "exec", executions.length, "canary", /CANARY/.test(w), /CANARY/.test(JSON.stringify([result, approver.requests])));
    for (const r of approver.requests) console.log(JSON.stringify(r.askedBy), r.lines.map(l=>JSON.stringify(l)).join("\n   "));
  }
});
