import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { HOOK_CLIENTS, type HookClientName } from "../../packages/cli/src/clients/hook-call.ts";
import { runHook } from "../../packages/cli/src/hooks/answer/run-hook.ts";
import { KeptStores } from "../../packages/cli/src/hooks/decider/kept-stores.ts";
import { HOOKS } from "../../packages/cli/src/hooks/read/hooks-of-clients.ts";
import { AUTO_EXECUTED } from "../../packages/core/src/file-names/name-class.ts";
import { RECOMMENDED_POLICY } from "../../packages/core/src/policy/recommended/recommended.ts";
import type { CliBench } from "./cli-bench.ts";
import { commitAll, initGit } from "./git-project.ts";
import { hookBench } from "./hook-bench.ts";
import type { Payload } from "./payloads.ts";

let bench: CliBench;
let stores: KeptStores;
beforeEach(() => {
  bench = hookBench();
  stores = new KeptStores();
  vi.spyOn(process, "cwd").mockReturnValue(bench.project);
  initGit(bench);
});
afterEach(async () => {
  await stores.close();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  bench.remove();
});

/** A tool of a client that changes the file at a path. */
interface Writer {
  readonly client: HookClientName;
  readonly tool: string;
  input(path: string): Payload;
}

const patch = (...lines: readonly string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const updated = (path: string) => patch(`*** Update File: ${path}`, "@@", "-x", "+y");
const changed = { old_string: "x", new_string: "y" };
const changedCamel = { oldString: "x", newString: "y" };

/** How a patch may name a file: as one that is added, changed, moved to, moved away, or among others. */
const PATCHES: Readonly<Record<string, (path: string) => string>> = {
  "adds it": (path) => patch(`*** Add File: ${path}`, "+y"),
  "changes it": updated,
  "moves another file to it": (path) =>
    patch("*** Update File: src/a.ts", `*** Move to: ${path}`, "@@", "-x", "+y"),
  "moves it away": (path) => patch(`*** Update File: ${path}`, "*** Move to: src/b.ts", "@@", "-x", "+y"),
  "deletes it": (path) => patch(`*** Delete File: ${path}`),
  "names it last": (path) =>
    patch(
      "*** Add File: src/c.ts",
      "+y",
      "*** Update File: src/a.ts",
      "@@",
      "-x",
      "+y",
      `*** Add File: ${path}`,
      "+y",
    ),
};

/** Each tool of each client that writes. */
const WRITERS: readonly Writer[] = [
  { client: "claude-code", tool: "Write", input: (file_path) => ({ file_path, content: "y" }) },
  { client: "claude-code", tool: "Edit", input: (file_path) => ({ file_path, ...changed }) },
  { client: "claude-code", tool: "MultiEdit", input: (file_path) => ({ file_path, edits: [changed] }) },
  {
    client: "claude-code",
    tool: "NotebookEdit",
    input: (path) => ({ notebook_path: path, new_source: "y" }),
  },
  { client: "cursor", tool: "Write", input: (path) => ({ path, contents: "y" }) },
  { client: "cursor", tool: "Edit", input: (file_path) => ({ file_path, ...changed }) },
  { client: "cursor", tool: "MultiEdit", input: (file_path) => ({ file_path, edits: [changed] }) },
  { client: "cursor", tool: "StrReplace", input: (path) => ({ path, ...changed }) },
  { client: "cursor", tool: "EditNotebook", input: (path) => ({ target_notebook: path, new_string: "y" }) },
  { client: "cursor", tool: "GenerateImage", input: (filename) => ({ prompt: "x", filename }) },
  { client: "cursor", tool: "ApplyPatch", input: (path) => ({ patch: updated(path) }) },
  { client: "gemini-cli", tool: "write_file", input: (file_path) => ({ file_path, content: "y" }) },
  { client: "gemini-cli", tool: "replace", input: (file_path) => ({ file_path, ...changed }) },
  { client: "codex", tool: "apply_patch", input: (path) => ({ command: updated(path) }) },
  {
    ...{ client: "codex", tool: "Bash" },
    input: (path) => ({ command: `apply_patch <<'EOF'\n${updated(path)}\nEOF` }),
  },
  { client: "copilot", tool: "create", input: (path) => ({ path, file_text: "y" }) },
  { client: "copilot", tool: "edit", input: (path) => ({ path, old_str: "x", new_str: "y" }) },
  { client: "copilot", tool: "apply_patch", input: (path) => ({ patch: updated(path) }) },
  { client: "opencode", tool: "write", input: (filePath) => ({ filePath, content: "y" }) },
  { client: "opencode", tool: "edit", input: (filePath) => ({ filePath, ...changedCamel }) },
  {
    ...{ client: "opencode", tool: "multiedit" },
    input: (filePath) => ({ filePath: "src/a.ts", edits: [{ filePath, ...changedCamel }] }),
  },
  { client: "opencode", tool: "patch", input: (path) => ({ patchText: updated(path) }) },
  { client: "opencode", tool: "apply_patch", input: (path) => ({ patchText: updated(path) }) },
];

/** Every name that a recommended rule asks about or denies when it is written, as a path in the project. */
const RULED = RECOMMENDED_POLICY.rules
  .filter(({ action, permission }) => action !== "allow" && permission === "fs.write")
  .flatMap(({ pattern = "" }) => expanded(pattern.replace("{workspace}", ".")))
  .map((name) =>
    name
      .replace(/^(?:\*\*\/)+/, "")
      .replace("**", "deep/x")
      .replaceAll("*", "team")
      .replaceAll("?", "m"),
  )
  .filter((name) => name !== "package.json");

/** Every name that a program runs by itself. */
const AUTO_RUN = AUTO_EXECUTED.map(({ name }) =>
  (name.endsWith("/") ? `${name}x` : name).replaceAll("*", "team"),
);

function expanded(pattern: string): readonly string[] {
  const [, before = "", inner, after = ""] = /^(.*?)\{([^{}]*)\}(.*)$/.exec(pattern) ?? [];
  if (inner === undefined) return [pattern];
  return inner.split(",").flatMap((one) => expanded(`${before}${one}${after}`));
}

function payloadOf({ client, tool }: Pick<Writer, "client" | "tool">, input: Payload): Payload {
  const id = crypto.randomUUID();
  const { project } = bench;
  if (client === "copilot")
    return { sessionId: id, timestamp: 1, cwd: project, toolName: tool, toolArgs: input };
  if (client === "opencode")
    return { event: "tool.execute.before", sessionID: id, callID: id, directory: project, tool, args: input };
  const hook_event_name = {
    "claude-code": "PreToolUse",
    "gemini-cli": "BeforeTool",
    cursor: "preToolUse",
    codex: "PreToolUse",
  }[client];
  return {
    ...{ session_id: id, conversation_id: id, workspace_roots: [project], transcript_path: "/none" },
    ...{ hook_event_name, cwd: project, tool_name: tool, tool_input: input, tool_use_id: id },
  };
}

const environment = () => ({ CLAUDE_PROJECT_DIR: bench.project, GEMINI_PROJECT_DIR: bench.project });

/** What a client is told about a call: whether it is asked or refused, or may happen. */
async function told(writer: Pick<Writer, "client" | "tool">, input: Payload): Promise<"stopped" | "passes"> {
  const text = JSON.stringify(payloadOf(writer, input));
  const { stdout, exitCode } = await runHook(
    { client: writer.client, text, environment: environment() },
    stores,
  );
  expect(exitCode).toBe(0);
  const answer = JSON.parse(stdout);
  const { permissionDecision, permission, decision, action } = { ...answer, ...answer.hookSpecificOutput };
  const said = permissionDecision ?? permission ?? decision ?? action;
  return said === "ask" || said === "deny" ? "stopped" : "passes";
}

/** Each client is asked about a share of the names, and all of them together about every name. */
const EVERY = process.env["TOOLKEEP_RUNS"] === undefined ? HOOK_CLIENTS.length : 1;

const writersOf = (client: HookClientName) => WRITERS.filter((one) => one.client === client);
const pathsOf = (name: string) => [name, `./${name}`, `lib/../${name}`, join(bench.project, name)];

describe("a tool that writes is decided by the file, whatever the tool", () => {
  test("the table has every client, and its names are those of the rules and of the watchdog", () => {
    expect(new Set(WRITERS.map(({ client }) => client))).toEqual(new Set(HOOK_CLIENTS));
    expect(RULED).toEqual(
      expect.arrayContaining(["build.gradle.kts".replace("build", "team"), "pom.xml", "gradlew"]),
    );
    expect(RULED.length + AUTO_RUN.length).toBeGreaterThan(150);
  });

  test("each tool changes exactly the file that it names, in every spelling", () => {
    const paths = [...RULED, ...AUTO_RUN].flatMap(pathsOf);
    for (const writer of WRITERS) {
      const missed = paths.filter((path) => {
        const call = HOOKS[writer.client].read(payloadOf(writer, writer.input(path)), environment());
        const changing = call?.calls.filter(({ tool }) => /^(?:write|edit|delete)$/.test(tool)) ?? [];
        return !changing.some((one) => one.arguments["path"] === path);
      });
      expect([writer.tool, missed]).toEqual([writer.tool, []]);
    }
  });

  test.each(HOOK_CLIENTS)("%s: every file that commands follow is asked about or refused", async (client) => {
    // Git has half of them as they are, and the other half is new.
    for (const [index, name] of RULED.entries()) if (index % 2 === 0) bench.write(name, "x\n");
    commitAll(bench);
    const [first, ...others] = writersOf(client).toReversed();
    const turn = HOOK_CLIENTS.indexOf(client);
    for (const [index, name] of RULED.entries()) {
      if ((index + turn) % EVERY !== 0) continue;
      const writers = index % 8 === 0 ? [first, ...others] : [first];
      for (const writer of writers.filter((one) => one !== undefined))
        expect([writer.tool, name, await told(writer, writer.input(name))]).toEqual([
          writer.tool,
          name,
          "stopped",
        ]);
    }
  });
});

describe("a spelling with capital letters", () => {
  const SPELLED = [
    "MAKEFILE",
    "Pom.XML",
    "GRADLEW",
    ".ENVRC",
    ".VSCODE/TASKS.JSON",
    ".Git/Config",
    "Setup.py",
  ];

  test.each(["codex", "cursor", "copilot", "opencode"] as const)(
    "is decided in a patch of %s as in the tool that writes the file",
    async (client) => {
      const own = writersOf(client);
      const patching = own.filter(({ tool }) => /patch|Bash/i.test(tool));
      const write = own.find(({ tool }) => /^(?:write|create)$/i.test(tool));
      const reference = write ?? WRITERS.find(({ tool }) => tool === "Write");
      if (reference === undefined) throw new Error("no tool writes");
      expect(patching.length).toBeGreaterThan(0);
      const stopped: string[] = [];
      for (const name of SPELLED) {
        const expected = await told(reference, reference.input(name));
        if (expected === "stopped") stopped.push(name);
        for (const one of patching)
          expect([one.tool, name, await told(one, one.input(name))]).toEqual([one.tool, name, expected]);
      }
      // Rules name files as they are written. Files that programs run by themselves are known in every spelling.
      expect(stopped).toEqual(expect.arrayContaining([".ENVRC", ".VSCODE/TASKS.JSON", ".Git/Config"]));
    },
  );
});

const PATCHING: readonly [HookClientName, string, (text: string) => Payload][] = [
  ["codex", "apply_patch", (command) => ({ command })],
  ["codex", "Bash", (text) => ({ command: `apply_patch <<'EOF'\n${text}\nEOF` })],
  ["codex", "Bash", (text) => ({ command: `apply_patch <<EOF\n${text}\nEOF` })],
  ["codex", "Bash", (text) => ({ command: `cd . && apply_patch <<'EOF'\n${text}\nEOF` })],
  ["cursor", "ApplyPatch", (text) => ({ patch: text })],
  ["copilot", "apply_patch", (text) => ({ patch: text })],
  ["opencode", "apply_patch", (patchText) => ({ patchText })],
];

describe("a patch is decided by each file that it names", () => {
  beforeEach(() => {
    bench.write("src/a.ts", "x\n");
    for (const name of NAMES) bench.write(name, "x\n");
    commitAll(bench);
  });
  const NAMES = [
    "build.gradle.kts",
    "gradlew",
    "pom.xml",

    ".github/workflows/ci.yml",
    "CLAUDE.md",
  ];

  test.each(PATCHING)("%s: %s %#", async (client, tool, input) => {
    for (const [how, text] of Object.entries(PATCHES))
      for (const [index, one] of NAMES.entries()) {
        const name = index % 2 === 0 ? one : `./lib/../${one}`;
        expect([how, name, await told({ client, tool }, input(text(name)))]).toEqual([how, name, "stopped"]);
      }
  });

  test.each(PATCHING.filter(([, , input]) => !/<<EOF|cd \./.test(JSON.stringify(input("")))))(
    "%s: %s adds and changes ordinary files unasked",
    async (client, tool, input) => {
      for (const text of [
        updated("src/a.ts"),
        patch("*** Add File: src/new.ts", "+y"),
        updated("src/a.ts").replaceAll("\n", "\r\n"),
      ])
        expect(await told({ client, tool }, input(text))).toBe("passes");
    },
  );

  test("a move that git can undo passes where the client cannot ask, and asks where it can", async () => {
    const moved = patch("*** Update File: src/a.ts", "*** Move to: src/b.ts", "@@", "-x", "+y");
    expect(await told({ client: "codex", tool: "apply_patch" }, { command: moved })).toBe("passes");
    expect(await told({ client: "copilot", tool: "apply_patch" }, { patch: moved })).toBe("stopped");
    bench.write("src/a.ts", "x\nnot recorded\n");
    expect(await told({ client: "codex", tool: "apply_patch" }, { command: moved })).toBe("stopped");
  });
});
