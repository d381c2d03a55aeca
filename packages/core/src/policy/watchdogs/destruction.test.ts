import { expect, test } from "vitest";
import { commandEffects } from "../../commands/effects/command-effects.ts";
import { compilePolicy } from "../compile-policy.ts";
import { RECOMMENDED_POLICY } from "../recommended/recommended.ts";
import { policyCall, policyContext } from "../rules/policy-call.ts";

async function decisionOf(line: string, rules: readonly string[] = []) {
  const argv = line.split(" ");
  const effects = commandEffects(
    { plain: true, commands: [{ argv, redirects: [] }], home: "/home/ada" },
    line,
  );
  const policy = compilePolicy({ ...RECOMMENDED_POLICY, rules: [...RECOMMENDED_POLICY.rules, ...rules] });
  const call = policyCall({ tool: "bash", effects });
  return policy.decide(call, policyContext());
}

test("a known read of a cluster does not ask, and a change does", async () => {
  expect((await decisionOf("kubectl get pods -n staging")).action).toBe("allow");
  expect((await decisionOf("kubectl apply -f deploy.yaml")).action).toBe("ask");
});

test("reading a secret is no plain read", async () => {
  expect((await decisionOf("kubectl get secret api")).action).toBe("ask");
});

test("destruction asks also where a rule allows the whole program", async () => {
  const decision = await decisionOf("kubectl delete ns prod", ['allow shell.run "kubectl *"']);
  expect(decision).toMatchObject({ action: "ask", askedBy: ["destruction"] });
  expect(decision.because).toBe("It deletes resources of a cluster.");
});

test.each([
  'allow shell.run "kubectl delete ns prod"',
  'allow shell.run "kubectl delete *"',
  "allow k8s.delete",
])("a rule that names it lets it pass: %s", async (rule) => {
  const rules = ['allow shell.run "kubectl *"', rule];
  expect((await decisionOf("kubectl delete ns prod", rules)).action).toBe("allow");
});

test("a rule on something else that the command does names no destruction", async () => {
  const rules = ['allow shell.run "terraform *"', "allow infra.plan"];
  const decision = await decisionOf("terraform destroy", rules);
  expect(decision).toMatchObject({ action: "ask", askedBy: ["destruction"] });
});

test("a rule names all that is destroyed, or it asks", async () => {
  const rules = ['allow shell.run "heroku *"', "allow cloud.delete"];
  expect((await decisionOf("heroku pg:reset a", rules)).action).toBe("ask");
  expect((await decisionOf("heroku pg:reset a", [...rules, "allow db.drop"])).action).toBe("allow");
});

function decisionOfTool(capability: string, rules: readonly string[], mode: "ask" | "yolo" = "ask") {
  const remote = { serverId: "cloud", tool: "remove_app" };
  const target = "*";
  const call = policyCall({
    ...{ tool: "cloud_remove_app", source: "mcp", remote },
    effects: [
      { capability, target, known: "inferred" },
      { capability: "mcp.call", target: "cloud:remove_app", known: "inferred", implied: true },
    ],
  });
  return compilePolicy({ ...RECOMMENDED_POLICY, rules, mode }).decide(call, policyContext());
}

test("destruction by a tool of a server asks where a rule allows the whole server, and in yolo does not run", async () => {
  const decision = await decisionOfTool("cloud.delete", ["allow mcp:cloud:*"]);
  expect(decision).toMatchObject({ action: "ask", askedBy: ["destruction"] });
  expect(decision.because).toBe("It deletes something at a cloud provider.");
  expect((await decisionOfTool("cloud.delete", [], "yolo")).action).toBe("deny");
  expect((await decisionOfTool("cloud.write", ["allow mcp:cloud:*"])).action).toBe("allow");
});

test.each(["allow cloud.delete", 'allow cloud.delete "*"', "allow mcp:cloud:remove_app"])(
  "a rule that names what the tool destroys, or the tool, lets it pass: %s",
  async (rule) => {
    expect((await decisionOfTool("cloud.delete", [rule])).action).toBe("allow");
  },
);

test("a rule on what a command does forbids it in any spelling", async () => {
  const rules = ['allow shell.run "kubectl *"', "deny k8s.delete"];
  expect((await decisionOf("kubectl --frobnicate x delete ns prod", rules)).action).toBe("deny");
});
