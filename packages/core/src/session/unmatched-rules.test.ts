import { describe, expect, test } from "vitest";
import { defineTool } from "../contract/tool/define-tool.ts";
import { createRegistry } from "../registry/registry.ts";
import { createSession } from "./create-session.ts";

const pay = defineTool({
  name: "transfer_money",
  description: "Pays.",
  inputSchema: { type: "object" },
  requires: { capabilities: ["bank.pay"] },
  execute: async () => "paid",
});

function registry() {
  const all = createRegistry();
  const remote = { serverId: "filesystem", tool: "write_file" };
  all.register(
    { ...pay, name: "filesystem_write_file", remote },
    { origin: { layer: "code", source: "mcp", id: "filesystem" } },
  );
  all.register(pay);
  return all;
}

async function diagnosed(...rules: readonly string[]) {
  await using session = await createSession({ registry: registry(), policy: rules });
  return session.diagnostics.map(({ code, message, hint }) => ({ code, message, hint }));
}

describe("a rule that no tool of the session can match is reported", () => {
  test.each([
    ["deny mcp:filesytem:write_file", "Did you mean `mcp:filesystem:write_file`?"],
    ["deny mcp:filesytem:*", "Did you mean `mcp:filesystem:*`?"],
    ["allow transfer_mony", "Did you mean `transfer_money`?"],
    ["deny bank.pya", "Did you mean `bank.pay`?"],
    ["deny launch_rocket", undefined],
  ])("%s", async (rule, hint) => {
    expect(await diagnosed(rule, "allow fs.read")).toEqual([
      { code: "unmatched_rule", message: expect.stringContaining(`\`${rule}\``), hint },
    ]);
  });

  test("others are not", async () => {
    const rules = [
      ...["deny mcp:filesystem:write_file", "deny mcp:filesystem:*", "allow transfer_money", "deny bank.pay"],
      ...["deny transfer_money.twice", "ask *", "deny fs.*", "allow git.push", "deny mcp:*", "allow trans*"],
    ];
    expect(await diagnosed(...rules)).toEqual([]);
  });

  test("it is gone once the tool has come", async () => {
    const tools = createRegistry();
    tools.register({ ...pay, name: "other" });
    await using session = await createSession({ registry: tools, policy: ["allow transfer_money"] });
    expect(session.diagnostics).toHaveLength(1);
    tools.register(pay);
    expect(session.diagnostics).toEqual([]);
  });
});
