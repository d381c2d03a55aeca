import { join } from "node:path";
import { osUser } from "@toolkeep/node/internal";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { explainedCall } from "../packages/cli/src/policy/explained-call.ts";
import { explanationLines, explanationRecord } from "../packages/cli/src/policy/explanation-lines.ts";
import { typedCall } from "../packages/cli/src/policy/typed-call.ts";
import { serverRefusal } from "../packages/cli/src/tools/servers/managed-servers.ts";
import { type Place, place } from "./managed/place.ts";

let at: Place;
beforeEach(() => {
  at = place();
});
afterEach(() => at.remove());

const unmanaged = () => at.put("etc/config.jsonc", {});
const managed = (value: object) => at.put("etc/config.jsonc", value);
const user = (value: object) => at.put("home/.config/toolkeep/config.jsonc", value);

async function trusted(...rules: readonly string[]) {
  at.put("repository/.toolkeep/config.jsonc", { policy: "p.yaml" });
  at.put(
    "repository/.toolkeep/p.yaml",
    `version: 1\nrules:\n${rules.map((one) => `  - '${one}'\n`).join("")}`,
  );
  await at.trust();
}

describe("a trusted project's policy", () => {
  const EVERYTHING = [
    ...['allow shell.run "**"', 'allow shell.dynamic "**"', 'allow fs.* "**"', 'allow git.push "**"'],
    ...['allow git.push "origin main"', 'allow net.fetch "**"', 'allow fs.delete "**/src/a.ts"', "allow *"],
  ];

  test.each([
    ["git push --force origin main", "deny"],
    ["git push origin main", "ask"],
    ["npm publish", "ask"],
    ["toolkeep approve abc", "deny"],
    ["npm run env", "ask"],
  ])("does not take the place of the recommended rules: %s", async (call, expected) => {
    unmanaged();
    await trusted(...EVERYTHING);
    expect(await at.decide(call)).toBe(expected);
  });

  test("does not override an ask of the user", async () => {
    unmanaged();
    at.put("home/.config/toolkeep/policy.yaml", 'version: 1\nrules:\n  - ask shell.run "make *"\n');
    await trusted('allow shell.run "make deploy"', 'allow shell.run "just deploy"');
    expect(await at.decide("make deploy")).toBe("ask");
    expect(await at.decide("just deploy")).toBe("allow");
  });

  test("answers what no other rule matches, and `explain` says so", async () => {
    unmanaged();
    expect(await at.decide("kubectl rollout restart deploy/api")).toBe("ask");
    await trusted('allow shell.run "kubectl rollout *"');
    expect(await at.decide("kubectl rollout restart deploy/api")).toBe("allow");
    const project = await at.read();
    const setting = { project, cwd: at.repository, isSandboxed: false };
    const [part] = await explainedCall(typedCall(["kubectl rollout restart deploy/api"], undefined), setting);
    if (part === undefined) throw new Error("There is no explanation.");
    const rule = `allow shell.run "kubectl rollout *" (${join(at.repository, ".toolkeep/p.yaml")}:3)`;
    expect(explanationLines(part, project).join("\n")).toContain(
      `The project's policy, which you trust, allows`,
    );
    expect(explanationRecord(part, project)).toMatchObject({ action: "allow", widenedBy: [rule] });
  });

  test("sets no mode and loosens no watchdog", async () => {
    unmanaged();
    at.put("repository/.toolkeep/config.jsonc", { policy: "p.yaml" });
    at.put(
      "repository/.toolkeep/p.yaml",
      "version: 1\nmode: yolo\nwatchdogs: { secrets: off, loop: 9999 }\n",
    );
    await at.trust();
    const { policy, notes } = await at.read();
    expect(policy).toMatchObject({ mode: "ask", builtIn: { secrets: "deny", loop: 5 } });
    expect(notes.join()).toContain("a project cannot set it");
  });
});

describe("keys that were read and did nothing", () => {
  test("tools.bash.enabled: false denies the tool, in any file", async () => {
    managed({ tools: { bash: { enabled: true } } });
    expect(await at.decide("git status")).toBe("allow");
    user({ tools: { bash: { enabled: false } } });
    expect(await at.decide("git status")).toBe("deny");
    managed({ tools: { bash: { enabled: false } } });
    user({ mode: "observe" });
    expect(await at.decide("git status")).toBe("deny");
  });

  test("sandbox.required denies commands that no sandbox holds", async () => {
    managed({ sandbox: { required: true } });
    user({ mode: "yolo", sandbox: { required: false } });
    expect(await at.decide("git status")).toBe("deny");
    expect(await at.decide("src/a.ts", { tool: "read" })).toBe("allow");
    const setting = { project: await at.read(), cwd: at.repository, isSandboxed: true };
    const [part] = await explainedCall(typedCall(["git status"], undefined), setting);
    expect(part?.explained.explanation?.decision.action).toBe("allow");
  });

  test.each(["environment production", "not environment test", "agent builder", "role admin"])(
    "a rule with the condition `%s` is an error where nothing says what it is",
    async (condition) => {
      at.put("etc/policy.yaml", `version: 1\nrules:\n  - 'deny net.fetch "*" if ${condition}'\n`);
      managed({ policy: "policy.yaml" });
      await expect(at.read()).rejects.toThrow(/can never be decided here/);
    },
  );

  test("the administrator says which environment this is", async () => {
    at.put(
      "etc/policy.yaml",
      'version: 1\nrules:\n  - deny shell.run "terraform *" if environment production\n',
    );
    managed({ policy: "policy.yaml", environment: "production" });
    await expect(at.read()).resolves.toMatchObject({ principal: { environment: "production" } });
    expect(await at.decide("terraform apply")).toBe("deny");
    managed({ policy: "policy.yaml", environment: "test" });
    expect(await at.decide("terraform apply")).toBe("ask");
  });

  test("rules can name the user and the groups of the operating system", async () => {
    const { user: name, groups: [group] = [] } = osUser();
    const rules = [
      `deny shell.run "make mine *" if user "${name}" and group "${group}"`,
      `deny shell.run "make other *" if user "${name}" and group "no-such-group"`,
    ];
    at.put("etc/policy.yaml", `version: 1\nrules:\n${rules.map((rule) => `  - '${rule}'\n`).join("")}`);
    managed({ policy: "policy.yaml" });
    expect(await at.decide("make mine x")).toBe("deny");
    expect(await at.decide("make other x")).toBe("ask");
  });

  test("a tool that is probably mistyped is a warning with a suggestion", async () => {
    managed({ tools: { bsh: { enabled: false } }, denied: ["web_serch"] });
    at.put("home/.config/toolkeep/policy.yaml", "version: 1\nrules:\n  - deny wrte\n");
    const { notes } = await at.read();
    expect(notes).toEqual([
      expect.stringMatching(/deny wrte.*Did you mean `write`/),
      expect.stringMatching(/tools\.bsh.*Did you mean `bash`/),
      expect.stringMatching(/web_serch.*Did you mean `web_search`/),
    ]);
  });
});

describe("the servers that an administrator accepts", () => {
  const servers = {
    payments: ["/opt/payments --stdio"],
    files: ["/opt/files *", "LOG=* MODE=ro '/opt/files'"],
    docs: ["https://docs.example/mcp"],
  };
  const started = (name: string, command: string, args: readonly string[] = [], env = {}) => ({
    ...{ name, command, args, env },
  });

  test.each([
    started("payments", "/opt/payments", ["--stdio"]),
    started("files", "/opt/files", ["/srv", "--read-only"]),
    started("files", "/opt/files", [], { LOG: "1", MODE: "ro" }),
    started("files", "/opt/files", [], { MODE: "ro" }),
    { name: "docs", url: "https://docs.example/mcp" },
  ])("%j", (server) => {
    expect(serverRefusal(servers, server)).toBeUndefined();
    expect(serverRefusal(undefined, server)).toBeUndefined();
  });

  test.each([
    ["another program under the name", started("payments", "/home/ada/evil", ["--stdio"])],
    ["the program under another name", started("pay", "/opt/payments", ["--stdio"])],
    ["more arguments", started("payments", "/opt/payments", ["--stdio", "--import=x"])],
    ["fewer arguments", started("payments", "/opt/payments")],
    ["one word for two", started("payments", "/opt/payments --stdio")],
    ["the same name elsewhere", started("files", "./opt/files")],
    ["code in its environment", started("files", "/opt/files", [], { NODE_OPTIONS: "--import x" })],
    ["a variable that is not listed", started("files", "/opt/files", ["/srv"], { URL: "http://evil" })],
    ["another value", started("files", "/opt/files", [], { MODE: "rw" })],
    ["a value that is not set", started("files", "/opt/files", [], { LOG: "1" })],
    ["a listed variable in other case", started("files", "/opt/files", [], { MODE: "ro", mode: "rw" })],
    ["another address", { name: "docs", url: "https://docs.example.evil.test/mcp" }],
    ["an address that is longer", { name: "docs", url: "https://docs.example/mcp?x" }],
    ["a command in the place of an address", started("docs", "https://docs.example/mcp")],
    ["a name of every object", started("constructor", "x")],
  ])("not: %s", (_what, server) => {
    expect(serverRefusal(servers, server)).toBeDefined();
  });
});
