import { execFileSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import { createSession } from "@toolkeep/core";
import { dangerousActions, RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { pdfReader } from "@toolkeep/node";
import { managerTools } from "@toolkeep/tools";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type FileBench, openFileBench } from "./file-bench.ts";
import { linePage, samplePdf } from "./sample-pdf.ts";

let bench: FileBench;
let session: Awaited<ReturnType<FileBench["session"]>>;
beforeAll(async () => {
  bench = await openFileBench();
  session = await bench.session({ tools: managerTools({ pdf: pdfReader() }) });
});
afterEach(async () => {
  for (const name of await readdir(bench.root)) await rm(bench.at(name), { recursive: true });
});
afterAll(async () => {
  await session.close();
  await bench.close();
});

const said = (name: string, args: object, within = session) => bench.said(name, { ...args }, within);
const file = (action: string, args: object, within = session) =>
  said("file_manager", { action, ...args }, within);

test("[C56] each manager has its actions, and rules can name them", () => {
  const actions = managerTools().map(({ name, inputSchema, actionArgument }) => {
    const { properties } = inputSchema as { properties: { action?: { enum: readonly string[] } } };
    return [name, actionArgument === undefined ? [] : properties.action?.enum] as const;
  });
  expect(Object.fromEntries(actions)).toEqual({
    file_manager: ["read", "write", "append", "delete"],
    bash_manager: [],
    git_manager: ["init", "status", "add", "commit", "log", "diff", "show", "branch", "push"],
    test_runner: [],
    lsp_manager: ["definition", "references", "hover", "diagnostics", "symbols", "ruff_check"],
    diff_editor: ["apply", "create"],
    ...{ code_exec: [], code_search: [], web_search: [], web_fetch: [], pdf_read: [], ask_clarification: [] },
  });
  expect(() => managerTools({ pfd: undefined } as never)).toThrow("pfd");
});

test("file_manager writes, reads, appends and deletes, as the single tools do", async () => {
  expect(await file("write", { path: "a.txt", content: "one\n" })).toBe("Made a.txt: 1 line, 4 bytes.");
  expect(await file("append", { path: "a.txt", content: "two\n" })).toContain("Added 4 characters");
  expect(await file("append", { path: "a.txt", content: "\ud800" })).toContain("half a character");
  expect(await file("append", { path: "a.txt", content: "[redacted:token]\n" })).toContain(
    "stands for a secret",
  );
  expect(await file("read", { path: "a.txt" })).toContain("     2\ttwo");
  expect(await file("append", { path: "new.txt", content: "new" })).toContain("new.txt");
  expect(await bench.text("new.txt")).toBe("new");
  await bench.put("long.txt", Buffer.from("\ufeffa\r\n", "utf16le"));
  await file("append", { path: "long.txt", content: "b\n" });
  expect(Buffer.from(await bench.bytes("long.txt")).toString("utf16le")).toBe("\ufeffa\r\nb\r\n");
  await bench.put("other.txt", "not read\n");
  expect(await file("write", { path: "other.txt", content: "x" })).toContain("this session has not read it");
  expect(await file("delete", { path: "a.txt" })).toBe("Deleted a.txt.");
  expect((await readdir(bench.root)).toSorted()).toEqual(["long.txt", "new.txt", "other.txt"]);
});

test("a parameter that an action lacks or does not take is named", async () => {
  expect(await file("write", { path: "a" })).toContain("The action write needs `content`");
  expect(await file("delete", { path: "a", content: "x" })).toContain("The action delete takes no `content`");
  expect((await bench.call("file_manager", { action: "move", path: "a" }, session)).failure).toMatchObject({
    code: "invalid_arguments",
  });
});

test("a rule about one action leaves the others", async () => {
  await using careful = await bench.session({
    tools: managerTools(),
    policy: ["allow fs.*", "deny file_manager.delete"],
  });
  await bench.put("a", "a\n");
  expect(await file("read", { path: "a" }, careful)).toContain("a");
  const refused = await bench.call("file_manager", { action: "delete", path: "a" }, careful);
  expect(refused.failure).toMatchObject({ code: "denied" });
  expect(await bench.text("a")).toBe("a\n");
});

test("to delete, to commit, to push and to run a command asks, and the approver is told the tool and its parameters", async () => {
  const asked: unknown[] = [];
  await using careful = await createSession({
    ...bench.workspace.sessionOptions(),
    tools: managerTools(),
    policy: { ...RECOMMENDED_POLICY, watchdogs: [dangerousActions()] },
    approver: async ({ toolName, arguments: parameters }) => {
      asked.push([toolName, parameters]);
      return { verdict: "reject" };
    },
  });
  await bench.put("a", "a\n");
  execFileSync("git", ["init", "-q"], { cwd: bench.root });
  const calls = [
    ["file_manager", { action: "delete", path: "a" }],
    ["git_manager", { action: "commit", message: "m" }],
    ["git_manager", { action: "push", name: "main" }],
    ["bash_manager", { command: "ls" }],
  ] as const;
  for (const [name, args] of calls) expect((await bench.call(name, args, careful)).ok).toBe(false);
  expect(asked).toEqual(calls.map(([name, args]) => [name, args]));
  expect(await said("git_manager", { action: "status" }, careful)).toContain("untracked");
});

test("diff_editor makes the diff that it applies", async () => {
  await bench.put("a.txt", "1\n2\n3\n");
  const patch = await said("diff_editor", { action: "create", path: "a.txt", content: "1\ntwo\n3\n" });
  expect(await bench.text("a.txt")).toBe("1\n2\n3\n");
  expect(await said("diff_editor", { action: "apply", patch })).toBe("Updated a.txt: +1 -1 lines.");
  expect(await bench.text("a.txt")).toBe("1\ntwo\n3\n");
});

test("code_search, git_manager and pdf_read are the same tools under other names", async () => {
  await bench.put("src/a.ts", "const one = 1;\n");
  expect(await said("code_search", { pattern: "o.e", glob: "*.ts" })).toContain("a.ts");
  expect(await said("git_manager", { action: "init" })).toContain("Initialized");
  await bench.put("a.pdf", samplePdf([linePage("Words of a page")]));
  expect(await said("pdf_read", { path: "a.pdf" })).toContain("Words of a page");
  expect((await bench.call("pdf_read", { path: "src/a.ts" }, session)).failure).toMatchObject({
    code: "invalid_arguments",
  });
});
