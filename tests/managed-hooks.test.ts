import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { HookClientName } from "../packages/cli/src/clients/hook-call.ts";
import { CLIENTS } from "../packages/cli/src/clients/install-client.ts";
import { InstallRecords } from "../packages/cli/src/clients/installed/install-record.ts";
import { decideCall } from "../packages/cli/src/hooks/decide/decide-call.ts";
import { HOOKS } from "../packages/cli/src/hooks/read/hooks-of-clients.ts";
import { type Place, place } from "./managed/place.ts";

let at: Place;
beforeEach(() => {
  at = place();
});
afterEach(() => at.remove());

const managed = (value: object) => at.put("etc/config.jsonc", { policy: "policy.yaml", ...value });

/** What a hook of Claude Code answers about a call, in a mode of the client. */
async function answer(
  tool: string,
  input: object,
  { mode = "default", client = "claude-code" as HookClientName } = {},
) {
  const payload = {
    ...{ session_id: crypto.randomUUID(), cwd: at.repository, hook_event_name: "PreToolUse" },
    ...{ tool_name: tool, tool_input: input, permission_mode: mode },
  };
  const environment = { CLAUDE_PROJECT_DIR: at.repository };
  const call = HOOKS["claude-code"].read(payload, environment);
  if (call === undefined) throw new Error("The payload is no call.");
  return decideCall(call, { client, project: await at.read(), environment });
}

const push = { command: "git push origin main" };

describe("a hook on a machine with an administrator", () => {
  test.each(["default", "acceptEdits", "bypassPermissions", "dontAsk", "auto", "plan"])(
    "asks or refuses what is final, in the mode %s of the client, whatever its own entries allow",
    async (mode) => {
      at.put("repository/.claude/settings.json", { permissions: { allow: ["Bash(git push:*)"] } });
      at.put("home/.claude/settings.json", { permissions: { allow: ["Bash(git push:*)"] } });
      expect((await answer("Bash", push, { mode })).action).toMatch(/^(?:ask|deny)$/);
    },
  );

  test("refuses where no person would see the question", async () => {
    expect(await answer("Bash", push, { mode: "bypassPermissions" })).toMatchObject({
      action: "deny",
      reason: expect.stringContaining("final rules"),
    });
  });

  test("believes no record of an installation in a state folder that a variable moved", async () => {
    const own = ["/repository/evil"] as const;
    const records = async () => {
      vi.stubEnv("TOOLKEEP_HOME", join(at.base, "th"));
      const record = {
        version: 1,
        project: at.repository,
        client: "claude-code",
        single: false,
        state: "done",
      } as const;
      const nothing = { files: [], folders: [], servers: [] };
      await new InstallRecords(at.repository).write({ ...record, ...nothing, own, confines: true });
    };
    at.put("repository/.mcp.json", {
      mcpServers: { payments: CLIENTS["claude-code"].entry(own, ["--wrap", "payments"]) },
    });
    await records();
    expect((await answer("mcp__payments__refund", {})).action).toMatch(/^(?:ask|deny)$/);
    const { input } = await answer("Bash", { command: "git status" });
    expect(JSON.stringify(input ?? "")).not.toContain("evil");
    // Where there is no administrator, the same variables move the policy too.
    at.put("etc/config.jsonc", {});
    expect((await answer("mcp__payments__refund", {})).reason).toContain("The gateway decides");
  });

  test("answers only the clients that are listed", async () => {
    managed({ clients: ["cursor"] });
    expect(await answer("Bash", { command: "git status" })).toMatchObject({
      action: "deny",
      reason: "Your administrator allows only these clients: cursor.",
    });
    managed({ clients: ["cursor", "claude-code"] });
    expect((await answer("Bash", { command: "git status" })).action).not.toBe("deny");
  });

  test("refuses tools of servers that are not accepted, by what they start", async () => {
    managed({ servers: { docs: "/opt/docs --stdio" } });
    const server = (value: object) => at.put("repository/.mcp.json", { mcpServers: { docs: value } });
    const action = async () => (await answer("mcp__docs__search", { query: "x" })).action;
    expect(await action()).toBe("deny");
    server({ command: "/opt/docs", args: ["--stdio"] });
    expect(await action()).not.toBe("deny");
    for (const other of [
      { command: "/opt/docs", args: ["--stdio", "--evil"] },
      { command: "/opt/docs", args: ["--stdio"], env: { NODE_OPTIONS: "--import /x.mjs" } },
      { url: "https://docs.example/mcp" },
    ]) {
      server(other);
      expect(await action(), JSON.stringify(other)).toBe("deny");
    }
  });
});
