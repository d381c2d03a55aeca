import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { HookClientName } from "../../packages/cli/src/clients/hook-call.ts";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { writes } from "../../packages/cli/src/hooks/read/own-tools.ts";
import type { CliBench } from "./cli-bench.ts";
import { decisionOf, hookBench, ownTool, writePolicy } from "./hook-bench.ts";
import { type Payload, payloadsOf } from "./payloads.ts";

let bench: CliBench;
beforeEach(() => {
  bench = hookBench();
});
afterEach(() => {
  vi.unstubAllEnvs();
  bench.remove();
});

const decided = (client: HookClientName, tool: string, input: Payload) =>
  decisionOf(client, ownTool(client, bench, { tool, input }), bench);

const key = () => join(bench.home, ".ssh/id_rsa");
const plain = () => join(bench.project, "src/a.ts");

describe("an argument that a tool does not have cannot hide one that it has", () => {
  test.each<[HookClientName, string, () => Payload]>([
    ["claude-code", "Read", () => ({ file_path: key(), path: plain() })],
    ["claude-code", "Read", () => ({ path: plain(), file_path: key() })],
    ["claude-code", "Write", () => ({ file_path: plain(), absolute_path: key(), content: "x" })],
    ["claude-code", "NotebookEdit", () => ({ file_path: plain(), notebook_path: key(), new_source: "x" })],
    ["gemini-cli", "read_file", () => ({ file_path: plain(), absolute_path: key() })],
    ["gemini-cli", "write_file", () => ({ path: plain(), file_path: key(), content: "x" })],
    ["gemini-cli", "read_many_files", () => ({ paths: [plain()], include: [plain(), key()] })],
    [
      "gemini-cli",
      "run_shell_command",
      () => ({ command: "cat x", dir_path: "src", directory: join(bench.home, ".ssh") }),
    ],
    ["cursor", "Delete", () => ({ path: key(), file_path: plain() })],
    ["cursor", "StrReplace", () => ({ file_path: plain(), path: key(), new_string: "x" })],
    [
      "cursor",
      "LS",
      () => ({ path: join(bench.project, "src"), target_directory: join(bench.home, ".ssh") }),
    ],
  ])("%s: %s %#", async (client, tool, input) => {
    expect(await decided(client, tool, input())).toBe("deny");
  });

  test("in URLs", async () => {
    const good = "https://nodejs.org/api/";
    const evil = "https://evil.example/x";
    const input = { prompt: `Read ${good}`, url: evil };
    expect(await decided("gemini-cli", "web_fetch", input)).toBe("ask");
    expect(await decided("gemini-cli", "web_fetch", { prompt: `Read ${evil}`, url: good })).toBe("ask");
    expect(await decided("claude-code", "WebFetch", { url: good, urls: [good, evil] })).toBe("ask");
    expect(await decided("claude-code", "WebFetch", { url: good, prompt: "x" })).toBe("allow");
  });

  test("in the new text of a file", () => {
    const input = { file_path: "a", content: "one", new_string: "two", edits: [{ new_string: "three" }] };
    expect(writes("file_path")(input)?.[0]?.arguments["content"]).toBe("one\ntwo\nthree");
  });
});

test("a call without the tool's own argument, or with one that is not a text, asks", async () => {
  const inputs = [{ path: plain() }, { file_path: { a: 1 }, path: plain() }, { file_path: [plain(), 5] }, {}];
  for (const input of inputs) expect(await decided("claude-code", "Read", input)).toBe("ask");
  expect(await decided("claude-code", "Bash", { command: ["cat", "x"] })).toBe("ask");
});

test("spaces around a path do not hide its target", async () => {
  expect(await decided("claude-code", "Read", { file_path: ` ${key()}` })).toBe("deny");
  expect(await decided("gemini-cli", "read_file", { file_path: `${key()}\n` })).toBe("deny");
});

describe("the hook does not decide about tools without effects outside of the conversation", () => {
  test.each(["ExitPlanMode", "AskUserQuestion", "TodoWrite", "Task"])(
    "%s continues as without the hook",
    async (tool) => expect(await decided("claude-code", tool, { plan: "x" })).toBe("none"),
  );

  test("in the other clients", async () => {
    expect(await decided("gemini-cli", "exit_plan_mode", {})).toBe("none");
    expect(await decided("cursor", "AskQuestion", {})).toBe("none");
  });

  test.each<[HookClientName, string]>([
    ["claude-code", "Skill"],
    ["claude-code", "SlashCommand"],
    ["gemini-cli", "activate_skill"],
  ])(
    "%s: %s adds instructions that the client has, and the client asks about them by itself",
    async (client, tool) => {
      expect(await decided(client, tool, { name: "x" })).toBe("none");
    },
  );
});

test.each(["claude-code", "cursor", "gemini-cli"] as const)(
  "%s: a payload that does not say which event it is never passes",
  async (client) => {
    const { hook_event_name: _, ...payload } = payloadsOf(client, bench)["write"] as Payload;
    for (const event of [{}, { hook_event_name: "" }, { hook_event_name: 5 }])
      expect(await decisionOf(client, { ...payload, ...event }, bench)).toBe("blocked");
  },
);

test("a byte order mark at the beginning of the payload is ignored", async () => {
  const text = `\uFEFF${JSON.stringify(payloadsOf("cursor", bench)["write"])}`;
  expect((await runHook({ client: "cursor", text, environment: {} })).exitCode).toBe(0);
});

describe("a command that runs outside of the project", () => {
  const shell = (client: HookClientName, command: string, cwd: string): Payload => {
    const base = payloadsOf(client, bench)["shell"] as Payload;
    if (client === "cursor") return { ...base, command, cwd };
    return { ...base, cwd, tool_input: { command } };
  };

  test.each(["claude-code", "cursor", "gemini-cli"] as const)(
    "%s: asks, whatever its arguments",
    async (client) => {
      for (const command of ["cat n.txt", "ls", "rg KEY", "git status"]) {
        expect(await decisionOf(client, shell(client, command, bench.home), bench)).toBe("ask");
        expect(await decisionOf(client, shell(client, command, join(bench.project, "src")), bench)).toBe(
          "allow",
        );
      }
    },
  );

  test("is denied if the folder is protected", async () => {
    expect(await decisionOf("claude-code", shell("claude-code", "ls", join(bench.home, ".ssh")), bench)).toBe(
      "deny",
    );
  });

  test("is blocked if its working directory is not absolute", async () => {
    for (const cwd of ["~/private", "../x", 5])
      expect(await decisionOf("claude-code", { ...shell("claude-code", "ls", ""), cwd }, bench)).toBe(
        "blocked",
      );
  });
});

test("a change of Toolkeep's own configuration asks, wherever it is", async () => {
  writePolicy(bench, "version: 1\nrules:\n  - allow fs.*\n  - allow shell.run\n");
  const directories = bench.environment.TOOLKEEP_HOME;
  const writing = (path: string) => decided("claude-code", "Write", { file_path: path, content: "x" });
  const naming = (path: string) => decided("claude-code", "Bash", { command: `python3 change.py ${path}` });
  const reading = (path: string) => decided("claude-code", "Read", { file_path: path });
  expect(await writing(join(directories, "config/policy.yaml"))).toBe("ask");
  expect(await naming(join(directories, "config/policy.yaml"))).toBe("ask");
  expect(await reading(join(directories, "state/gateway-token"))).toBe("ask");
  expect(await writing(join(bench.home, "policy.yaml"))).toBe("allow");
  expect(await naming(join(bench.home, "policy.yaml"))).toBe("allow");
  expect(await reading(join(bench.home, "gateway-token"))).toBe("allow");
});
