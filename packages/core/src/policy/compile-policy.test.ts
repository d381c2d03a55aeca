import { describe, expect, test } from "vitest";
import { fsRead, fsWrite, shellRun } from "../contract/call/effect.ts";
import { modeOfName, treatmentOf } from "../contract/call/mode.ts";
import type { PolicyDefinition, StageVerdict, Watchdog } from "../contract/policy/decision.ts";
import { compilePolicy } from "./compile-policy.ts";
import { conclusionOf } from "./conclusion.test.kit.ts";
import { explainText } from "./rules/explanation.ts";
import { type PolicyCallInput, policyCall, policyContext } from "./rules/policy-call.ts";
import { dangerousActions } from "./watchdogs/dangerous-actions.ts";

const CALL: PolicyCallInput = { tool: "edit", effects: [fsWrite("/ws/a")] };

/** The decision; on the way, that its explanation comes to the same. */
async function decide(definition: PolicyDefinition, call: Partial<PolicyCallInput> = {}, known = {}) {
  const policy = compilePolicy({ builtIn: "off", ...definition });
  const evaluated = policyCall({ ...CALL, ...call });
  const context = policyContext(known);
  const decision = await policy.decide(evaluated, context);
  const explanation = await policy.explain(evaluated, context);
  expect(explanation.decision).toEqual(decision);
  expect(conclusionOf(explanation.steps)).toBe(decision.action);
  return decision;
}

const dog = (action: "allow" | "ask" | "deny", name = "rex"): Watchdog => ({
  name,
  evaluate: () => (action === "allow" ? { action } : { action, reason: `${name} barks.` }),
});

describe("modes", () => {
  const ask = { rules: [{ permission: "edit", action: "ask" }] } as const;

  test("[C78] ask: what was approved before is not asked again", async () => {
    expect(await decide(ask)).toMatchObject({ action: "ask", askedBy: ["rules"] });
    const isApproved = (_call: unknown, asker: string) => asker === "rules";
    expect(await decide(ask, {}, { isApproved })).toMatchObject({ action: "allow", layer: "approval" });
    const never = { rules: [{ permission: "edit", action: "ask", neverRemember: true }] } as const;
    expect(await decide(never, {}, { isApproved })).toMatchObject({ action: "ask", neverRemember: true });
  });

  test("[C78] allowlist: entries are a name, or a name and a pattern; what they miss asks", async () => {
    const bash = (line: string) => ({ tool: "bash", effects: [shellRun(line.split(" "))] });
    const list = { mode: "allowlist", allowList: ["read", "bash(git status)"] } as const;
    expect(await decide(list, { tool: "read", effects: [fsRead("/ws/a")] })).toMatchObject({
      action: "allow",
    });
    expect(await decide(list, bash("git status"))).toMatchObject({ action: "allow" });
    expect(await decide(list, bash("git push"))).toMatchObject({ action: "ask" });
    const denied = { ...list, rules: [{ permission: "shell.run", action: "deny" }] } as const;
    expect(await decide(denied, bash("git status"))).toMatchObject({ action: "deny" });
    expect(() => compilePolicy({ allowList: ["read"] })).toThrow(/allowlist/);
    expect(() => compilePolicy({ mode: "allowlist", allowList: ["bash("] })).toThrow(/keyPattern/);
  });

  test("[C78] allowlist: a pattern may also fit the key that a tool derives", async () => {
    const evaluated = policyCall({
      tool: "bash",
      effects: [shellRun(["git", "log"])],
      args: { command: "git log" },
    });
    const tool = { ...evaluated.found.tool, deriveApprovalKey: () => "git" };
    const call = { ...evaluated, found: { ...evaluated.found, tool } };
    const decided = (entry: string) =>
      compilePolicy({ mode: "allowlist", allowList: [entry], builtIn: "off" }).decide(call, policyContext());
    expect(await decided("bash(git)")).toMatchObject({
      action: "allow",
      layer: "allow-list",
      matchedBy: "bash(git)",
    });
    expect(await decided("bash(npm)")).toMatchObject({ action: "ask" });
  });

  test("[C78] yolo: no approver is asked and nothing is looked up; denies and watchdogs still apply", async () => {
    const isApproved = () => {
      throw new Error("looked up");
    };
    expect(await decide({ ...ask, mode: "yolo" }, {}, { isApproved })).toMatchObject({
      action: "allow",
      layer: "mode",
    });
    const deny = { mode: "yolo", rules: [{ permission: "edit", action: "deny" }] } as const;
    expect(await decide(deny)).toMatchObject({ action: "deny", layer: "rule" });
    expect(await decide({ mode: "yolo", watchdogs: [dog("ask")] })).toMatchObject({
      action: "deny",
      layer: "watchdog",
    });
  });

  test("[C78] observe: it passes, and what would have become of it is told; a manifest deny and the deny of a watchdog of the host application stand", async () => {
    const project = { rules: [{ permission: "edit", action: "deny", scope: "project" }] } as const;
    const observed = { action: "deny", reason: expect.stringContaining("deny edit") };
    expect(await decide({ ...project, mode: "observe" })).toMatchObject({ action: "allow", observed });
    expect(await decide({ ...project, mode: "ask" })).toMatchObject({ action: "deny" });
    expect(await decide({ mode: "observe", rules: [{ permission: "edit", action: "deny" }] })).toMatchObject({
      action: "deny",
      isFinal: true,
    });
    expect(await decide({ mode: "observe", watchdogs: [dog("ask")] })).toMatchObject({
      action: "allow",
      observed: { action: "ask" },
    });
    expect(await decide({ mode: "observe", watchdogs: [dog("deny")] })).toMatchObject({ action: "deny" });
    const sudo = policyCall({ tool: "bash", effects: [shellRun(["sudo", "ls"])] });
    const policy = compilePolicy({ mode: "observe" });
    expect(await policy.decide(sudo, policyContext())).toMatchObject({
      action: "allow",
      matchedBy: "observe, would deny: overreach",
      observed: { action: "deny" },
    });
  });

  test("[C78] an unknown mode is an error", () => {
    expect(() => compilePolicy({ mode: "careful" as never })).toThrow(/careful/);
  });
});

describe("the stage machine, and what is not gated", () => {
  const stages = (verdict: StageVerdict | Promise<StageVerdict>) => ({
    stages: { name: "plan", evaluate: () => verdict },
  });

  test("[C77] it may settle an ask, for this proposal; a deny of the rules it is not asked about", async () => {
    expect(await decide(stages("approve"))).toMatchObject({ action: "allow", layer: "stage" });
    expect(await decide(stages({ verdict: "deny", reason: "not now" }))).toMatchObject({
      action: "deny",
      reason: "not now",
    });
    expect(await decide(stages(Promise.resolve("defer" as const)))).toMatchObject({
      action: "ask",
      layer: "default",
    });
    const deny = { rules: [{ permission: "edit", action: "deny", scope: "session" }] } as const;
    expect(await decide({ ...stages("approve"), ...deny })).toMatchObject({ action: "deny", layer: "rule" });
    expect(await decide({ ...stages("approve"), watchdogs: [dog("deny")] })).toMatchObject({
      action: "deny",
    });
  });

  test("[C77] one that fails, or answers with an unknown verdict, denies", async () => {
    const broken = { stages: { name: "plan", evaluate: () => Promise.reject(new Error("lost")) } };
    expect(await decide(broken)).toMatchObject({ action: "deny", reason: expect.stringContaining("lost") });
    expect(await decide(stages("perhaps" as never))).toMatchObject({ action: "deny" });
    expect(await decide({ ...broken, mode: "observe" })).toMatchObject({ observed: { action: "deny" } });
  });

  test("[C77] what is not gated skips approval if no rule matches, and nothing else", async () => {
    const ungated = { gated: false, mode: "safe_write" } as const;
    expect(await decide({}, ungated)).toMatchObject({ action: "allow", layer: "default" });
    expect(await decide({ rules: [{ permission: "edit", action: "ask" }] }, ungated)).toMatchObject({
      action: "ask",
    });
    expect(await decide({ watchdogs: [dog("ask")] }, ungated)).toMatchObject({
      action: "ask",
      layer: "watchdog",
    });
    expect(await decide({}, { ...ungated, mode: "local" })).toMatchObject({ action: "ask" });
    expect(await decide({}, { ...ungated, source: "mcp" })).toMatchObject({ action: "ask" });
    expect(await decide({}, { ...ungated, source: "folder" })).toMatchObject({ action: "ask" });
    expect(await decide({}, { ...ungated, source: "folder", effects: [fsRead("/ws/a")] })).toMatchObject({
      action: "allow",
    });
  });
});

test("[C83] the mode of a tool gives its treatment, and what becomes of a call that no rule covers", async () => {
  const treatments = {
    read: ["allow", "nothing"],
    safe_write: ["allow", "diff"],
    destructive: ["allow", "undo"],
    local: ["ask", "consent"],
    external: ["allow", "log"],
  } as const;
  for (const [mode, [action, show]] of Object.entries(treatments)) {
    expect(treatmentOf(mode as keyof typeof treatments)).toEqual({ base: action, show });
    expect(await decide({}, { gated: false, mode: mode as keyof typeof treatments })).toMatchObject({
      action,
    });
  }
});

test("[C84] a name's first word tells the mode; one that says nothing is external and asks", async () => {
  const words = {
    read: ["get", "list", "read", "search"],
    safe_write: ["create", "update", "add", "set"],
    destructive: ["delete", "remove", "archive", "drop"],
    local: ["local", "shell", "exec"],
  };
  for (const [mode, firsts] of Object.entries(words)) {
    expect(firsts.map((first) => modeOfName(`${first}_thing`))).toEqual(firsts.map(() => mode));
  }
  expect(["getter", "reset_x", "frobnicate"].map(modeOfName)).toEqual(["external", "external", "external"]);
  expect(await decide({}, { tool: "frobnicate" })).toMatchObject({ action: "ask" });
});

test("[C81] what runs code, deletes, commits or pushes asks, whatever else is allowed", async () => {
  const rules = [
    { permission: "*", action: "allow" },
    { permission: "bash_manager", pattern: "**", action: "allow" },
    { permission: "git_manager.push", action: "allow", scope: "session" },
  ] as const;
  const watchdogs = [dangerousActions()];
  const asks = async (tool: string, action?: string) =>
    (await decide({ rules, watchdogs }, { tool, effects: [], actionArgument: "action", args: { action } }))
      .action;
  expect(await asks("bash_manager")).toBe("ask");
  expect(await asks("code_exec")).toBe("ask");
  expect(await asks("file_manager", "delete")).toBe("ask");
  expect(await asks("git_manager", "commit")).toBe("ask");
  expect(await asks("git_manager", "push")).toBe("ask");
  expect(await asks("git_manager", "log")).toBe("allow");
  expect(await asks("file_manager", "read")).toBe("allow");
});

describe("watchdogs", () => {
  test("[C73] look at every call, allowed or not gated, and never widen", async () => {
    const allow = { rules: [{ permission: "*", action: "allow" }] } as const;
    expect(await decide({ ...allow, watchdogs: [dog("deny")] })).toMatchObject({
      action: "deny",
      reason: "rex barks.",
    });
    expect(await decide({ ...allow, watchdogs: [dog("ask")] })).toMatchObject({
      action: "ask",
      askedBy: ["rex"],
    });
    expect(await decide({ watchdogs: [dog("allow")] })).toMatchObject({ action: "ask", layer: "default" });
    expect(
      await decide({ rules: [{ permission: "*", action: "deny" }], watchdogs: [dog("allow")] }),
    ).toMatchObject({ action: "deny", layer: "rule" });
  });

  test("[C73] an ask of theirs is remembered for them alone", async () => {
    const both = { watchdogs: [dog("ask", "rex"), dog("ask", "fido")] };
    expect(await decide(both)).toMatchObject({ action: "ask", askedBy: ["rules", "rex", "fido"] });
    const only = (...names: string[]) => ({
      isApproved: (_call: unknown, asker: string) => names.includes(asker),
    });
    expect(await decide(both, {}, only("rules"))).toMatchObject({ action: "ask", askedBy: ["rex", "fido"] });
    expect(await decide(both, {}, only("rules", "fido"))).toMatchObject({ action: "ask", askedBy: ["rex"] });
    expect(await decide(both, {}, only("rules", "fido", "rex"))).toMatchObject({ action: "allow" });
  });

  test("[C73] one that throws, takes too long, or answers with an unknown verdict denies", async () => {
    const bad: Watchdog["evaluate"][] = [
      () => {
        throw new Error("lost");
      },
      () => Promise.reject(new Error("lost")),
      () => new Promise(() => {}),
      () => "fine" as never,
      () => undefined as never,
    ];
    for (const evaluate of bad) {
      const decision = await decide({ watchdogs: [{ name: "rex", timeoutMs: 20, evaluate }], mode: "yolo" });
      expect(decision).toMatchObject({ action: "deny", layer: "watchdog" });
    }
  });

  test("[C73] know the call, its checked arguments, what the agent may need, and the session", async () => {
    let seen: unknown;
    const evaluate: Watchdog["evaluate"] = (call, { sessionId, requires, principal }) => {
      seen = [call.found.name, call.args, requires, sessionId, principal.user];
      return { action: "allow" };
    };
    const known = {
      sessionId: "s1",
      requires: { capabilities: ["x"] },
      principal: { user: "ada", role: "a", workspace: "w" },
    };
    await decide({ watchdogs: [{ name: "rex", evaluate }] }, { args: { path: "/ws/a" } }, known);
    expect(seen).toEqual(["edit", { path: "/ws/a" }, { capabilities: ["x"] }, "s1", "ada"]);
  });
});

test("the explanation names each layer, the rule and its line, and what would have to change", async () => {
  const policy = compilePolicy({
    rules: [
      {
        permission: "fs.write",
        pattern: "/ws/**",
        action: "ask",
        because: "look first",
        at: "policy.yaml:7",
      },
    ],
    watchdogs: [dog("ask")],
  });
  const text = explainText(await policy.explain(policyCall(CALL), policyContext()));
  expect(text).toBe(
    [
      "edit",
      "  does      fs.write /ws/a",
      '  rule      ask     ask fs.write "/ws/**" (policy.yaml:7) on fs.write /ws/a: look first',
      "  watchdog  ask     rex: rex barks.",
      "  so        ask",
      '  to change the rule `ask fs.write "/ws/**"` in policy.yaml:7, or add a more specific one',
      "  to change the settings of the watchdog rex, or what the call does",
    ].join("\n"),
  );
});
