import { join } from "node:path";
import { openSqliteStore } from "@toolkeep/sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { HookClientName } from "../../packages/cli/src/clients/hook-call.ts";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { type CliBench, cliBench } from "./cli-bench.ts";
import { type Payload, payloadsOf, withInput } from "./payloads.ts";

let bench: CliBench;
beforeEach(() => {
  bench = cliBench();
  vi.stubEnv("TOOLKEEP_HOME", bench.environment.TOOLKEEP_HOME);
  vi.stubEnv("HOME", bench.home);
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

async function ask(client: HookClientName, payload: Payload | string, policy?: string) {
  // In a mode that is not known, a question stays one.
  const text =
    typeof payload === "string" ? payload : JSON.stringify({ ...payload, permission_mode: undefined });
  const environment = { CLAUDE_PROJECT_DIR: bench.project, GEMINI_PROJECT_DIR: bench.project };
  const answer = await runHook({ client, text, environment, policyFile: policy });
  return { ...answer, output: answer.stdout === "" ? undefined : JSON.parse(answer.stdout) };
}

interface Answer {
  readonly hookSpecificOutput?: { readonly permissionDecision: string };
  readonly permission?: string;
  readonly decision?: string;
}

/** What the recommended rules allow is left to a client. */
const permissionIn: Readonly<Record<"claude-code" | "cursor" | "gemini-cli", (answer: Answer) => string>> = {
  "claude-code": ({ hookSpecificOutput }) => hookSpecificOutput?.permissionDecision ?? "allow",
  cursor: ({ permission }) => permission ?? "",
  "gemini-cli": ({ decision }) => decision ?? "allow",
};

describe.each(["claude-code", "cursor", "gemini-cli"] as const)("the hook of %s", (client) => {
  const decided = async (payload: Payload) => permissionIn[client]((await ask(client, payload)).output);

  test("allows what the policy allows, in the format of the client", async () => {
    const payloads = payloadsOf(client, bench);
    expect(await decided(payloads["write"] as Payload)).toBe("allow");
    expect(await decided(payloads["read"] as Payload)).toBe("allow");
  });

  test("tells the client to ask, unless it cannot", async () => {
    bench.write("package.json", "{}");
    const payloads = payloadsOf(client, bench);
    expect(await decided(payloads["shell"] as Payload)).toBe("ask");
    const elsewhere = withInput(payloads["write"] as Payload, {
      file_path: join(bench.project, "package.json"),
    });
    expect(await decided(elsewhere)).toBe(client === "cursor" ? "deny" : "ask");
  });

  test("denies what the policy denies, with the reason", async () => {
    const payloads = payloadsOf(client, bench);
    const git = withInput(payloads["write"] as Payload, { file_path: join(bench.project, ".git/config") });
    const answer = await ask(client, git);
    expect(permissionIn[client](answer.output)).toBe("deny");
    expect(answer.stdout).toContain("Only git may change files");
    expect(answer.exitCode).toBe(0);
  });

  test("never allows an unknown tool", async () => {
    const payload = { ...payloadsOf(client, bench)["write"], tool_name: "TimeTravel" };
    expect(await decided(payload)).toBe(client === "cursor" ? "deny" : "ask");
  });

  test.each([
    ["invalid JSON", "nonsense"],
    ["a list", "[]"],
    ["nothing", ""],
  ])("blocks if its input is %s", async (_what, text) => {
    const answer = await ask(client, text);
    expect(answer).toMatchObject({ exitCode: 2, stdout: "" });
    expect(answer.stderr).toContain("could not decide");
  });

  test("blocks if a required field is missing", async () => {
    const { session_id: _, conversation_id: __, ...payload } = payloadsOf(client, bench)["write"] as Payload;
    expect((await ask(client, payload)).exitCode).toBe(2);
  });

  test("blocks if the policy is invalid", async () => {
    const policy = bench.write("policy.yaml", "version: 1\nrules: [nonsense here]\n");
    const answer = await ask(client, payloadsOf(client, bench)["write"] as Payload, policy);
    expect(answer.exitCode).toBe(2);
    expect(answer.stderr).toContain("policy.yaml");
  });
});

test("the taint of a conversation lasts across its hooks", async () => {
  const payloads = payloadsOf("claude-code", bench);
  const fetch = (url: string) => withInput(payloads["fetch"] as Payload, { url });
  const decisionOn = async (payload: Payload) =>
    permissionIn["claude-code"]((await ask("claude-code", payload)).output);
  expect(await decisionOn(fetch("https://nodejs.org/api/"))).toBe("allow");
  expect(await decisionOn(withInput(payloads["read"] as Payload, { file_path: "/etc/hosts" }))).toBe("ask");
  const after = await ask("claude-code", fetch("https://nodejs.org/api/"));
  expect(permissionIn["claude-code"](after.output)).toBe("ask");
  expect(after.stdout).toContain("private data");
  expect(await decisionOn({ ...fetch("https://nodejs.org/api/"), session_id: "another" })).toBe("allow");
});

test("the decision of a hook is in the journal of the conversation, and is not pending", async () => {
  const payloads = payloadsOf("claude-code", bench);
  await ask("claude-code", payloads["shell"] as Payload);
  await ask("claude-code", payloads["write"] as Payload);
  const store = openSqliteStore({ path: join(bench.environment.TOOLKEEP_HOME, "state", "sessions") });
  const [entry] = store.sessions();
  expect(entry).toMatchObject({ sessionId: "claude-code.abc123", calls: 2, isInUse: false });
  expect(await store.waiting()).toEqual([]);
  expect(await store.verify("claude-code.abc123")).toMatchObject({ intact: true });
  await store.close();
});

test("concurrent hooks of one conversation wait for each other", async () => {
  const payload = payloadsOf("claude-code", bench)["write"] as Payload;
  const answers = await Promise.all(Array.from({ length: 4 }, () => ask("claude-code", payload)));
  expect(answers.map(({ output }) => permissionIn["claude-code"](output))).toEqual(Array(4).fill("allow"));
});

test("paths and commands are evaluated in the working directory of the client", async () => {
  const { read, shell } = payloadsOf("claude-code", bench) as Record<string, Payload>;
  const cwd = join(bench.project, "src");
  const decisionOn = async (payload: Payload | undefined) =>
    permissionIn["claude-code"]((await ask("claude-code", { ...payload, cwd })).output);
  expect(await decisionOn(withInput(read as Payload, { file_path: "../../elsewhere.txt" }))).toBe("ask");
  expect(await decisionOn(withInput(read as Payload, { file_path: "a.ts" }))).toBe("allow");
  expect(await decisionOn(withInput(shell as Payload, { command: "cat ../a.txt" }))).toBe("allow");
  expect(await decisionOn(withInput(read as Payload, { file_path: "~/.ssh/id_rsa" }))).toBe("deny");
});

test("a `cd` of the client does not change the workspace", async () => {
  const { write } = payloadsOf("claude-code", bench) as Record<string, Payload>;
  const payload = {
    ...withInput(write as Payload, { file_path: join(bench.home, "src/a.ts") }),
    cwd: bench.home,
  };
  expect(permissionIn["claude-code"]((await ask("claude-code", payload)).output)).toBe("ask");
});

test("events that decide nothing are allowed", async () => {
  const after = payloadsOf("cursor", bench)["afterEdit"] as Payload;
  expect((await ask("cursor", after)).output).toEqual({ permission: "allow" });
  const shell = { ...payloadsOf("cursor", bench)["write"], tool_name: "Shell" };
  expect((await ask("cursor", shell)).output).toEqual({ permission: "allow" });
});

test("every URL in a prompt is evaluated, and a prompt without any asks", async () => {
  const fetch = payloadsOf("gemini-cli", bench)["fetch"] as Payload;
  const decisionOn = async (prompt: string) =>
    permissionIn["gemini-cli"]((await ask("gemini-cli", withInput(fetch, { prompt }))).output);
  expect(await decisionOn("Read https://nodejs.org/api/ and https://docs.rs/x")).toBe("allow");
  expect(await decisionOn("Read https://nodejs.org/api/ and https://example.com/x")).toBe("ask");
  expect(await decisionOn("Look it up")).toBe("ask");
});
