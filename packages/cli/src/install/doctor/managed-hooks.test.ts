import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { clientFor } from "../../clients/install-client.ts";
import { checkClients } from "./examine.ts";
import { managedHooks } from "./managed-hooks.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const file = () => join(folder, "managed-settings.json");
const put = (hooks: unknown) => writeFileSync(file(), JSON.stringify({ hooks }));
const found = () => managedHooks([join(folder, "missing.json"), file()]);

test("the hooks that an installation shows count in the client's managed settings", async () => {
  const edits = clientFor("claude-code", folder).hooks?.edits?.(["/usr/bin/toolkeep"]) ?? [];
  put(Object.fromEntries(edits.map(({ path, value }) => [path[1], [value]])));
  expect(found()).toMatchObject([{ client: "claude-code", file: file() }]);
  mkdirSync(join(folder, "project", ".claude"), { recursive: true });
  const codes = async (installed: Parameters<typeof checkClients>[1]) =>
    (await checkClients(join(folder, "project"), installed))
      .filter(({ about }) => about === "claude-code" || about === "project")
      .map(({ code }) => code);
  expect(await codes([])).toContain("not_installed");
  expect(await codes(found())).toEqual([]);
});

const LINE = "/usr/bin/toolkeep hook claude-code || exit 2";
const group = (command: string, matcher = "*") => ({ matcher, hooks: [{ type: "command", command }] });

test.each<[string, unknown]>([
  ["no hooks", undefined],
  ["another program", { PreToolUse: [group("/usr/bin/lint || exit 2")] }],
  ["a hook for some tools", { PreToolUse: [group(LINE, "Bash")] }],
  ["a hook whose failure lets calls pass", { PreToolUse: [group("/usr/bin/toolkeep hook claude-code")] }],
  ["a hook that only reports", { PostToolUse: [group(LINE)] }],
  ["a program with a similar name", { PreToolUse: [group("/tmp/nottoolkeep hook claude-code || exit 2")] }],
])("%s does not", (_, hooks) => {
  put(hooks);
  expect(found()).toEqual([]);
  writeFileSync(file(), "{");
  expect(found()).toEqual([]);
});
