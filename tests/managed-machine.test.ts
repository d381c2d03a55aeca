import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { runInJail } from "./jail/outer-jail.ts";
import { machineMounts, whyNoMachine } from "./managed/machine-program.ts";
import type { Seen } from "./managed/machine-scene.ts";
import { MACHINE_WAYS } from "./managed/machine-ways.ts";

/** Everything, in the campaign. */
const isWhole = process.env["TOOLKEEP_RUNS"] !== undefined;
const reason = whyNoMachine();
let seen: Seen;

async function inJail(): Promise<Seen> {
  const script = fileURLToPath(new URL("managed/machine-scene.ts", import.meta.url));
  const { stdout, stderr } = await runInJail({
    ...{ script, as: "root", mounts: await machineMounts(), timeoutMs: isWhole ? 1_200_000 : 280_000 },
    args: isWhole ? ["--whole"] : [],
  });
  const last = stdout.trim().split("\n").at(-1) ?? "";
  if (!last.startsWith("{")) throw new Error(`The scene ended without a result: ${stderr.slice(-2_000)}`);
  return JSON.parse(last) as Seen;
}

describe.skipIf(reason !== undefined)(
  `a managed installation, with three users${reason === undefined ? "" : `: skipped, ${reason}`}`,
  () => {
    beforeAll(async () => {
      seen = await inJail();
    });

    test("a hook that was written by hand is bypassed by a project, and doctor says so", () => {
      expect(seen.hand.tried).toEqual(["deny", "allow", "allow"]);
      const [finding] = JSON.parse(seen.hand.doctor.out.split("\nP")[0] ?? "").findings;
      expect(finding).toMatchObject({ code: "managed_hooks_bypassed", who: "administrator" });
      expect(finding.message).toMatch(/PATH.*NODE_OPTIONS/);
      expect(seen.hand.doctor.code).toBe(1);
    });

    test("only root installs, and only what no other user can replace", () => {
      const { user, codex, node, folder, policy } = seen.install.refused;
      for (const one of [user, codex, node, folder, policy]) expect(one.code, one.out).not.toBe(0);
      expect(user.out).toMatch(/only root can do it\.\nRun `sudo \/.* init claude-code --managed`\./);
      expect(codex.out).toContain("/etc/codex/requirements.toml");
      expect(node.out).toMatch(/\/home\/alice\/node belongs to another user.*\n.*npm install -g/);
      expect(folder.out).toContain("chmod go-w /etc/claude-code");
      expect(policy.out).toContain("A managed policy is required");
    });

    test("it shows, merges and restores the administrator's files", () => {
      const { dry, untouched, installed, again, cursor, settings, servers, launcher, hooks } = seen.install;
      expect(dry.out).toContain("+ exec /usr/bin/env -i");
      expect(untouched).toBe(true);
      expect([installed.code, cursor.code, again.code]).toEqual([0, 0, 0]);
      expect(again.out).toContain("in place already");
      const { model, allowManagedHooksOnly, hooks: merged } = JSON.parse(settings);
      expect({ model, allowManagedHooksOnly }).toEqual({ model: "opus", allowManagedHooksOnly: true });
      expect(merged.PreToolUse.map((one: { matcher: string }) => one.matcher)).toEqual(["Bash", "*"]);
      expect(JSON.parse(servers).mcpServers.payments.command).toBe("/etc/toolkeep/bin/toolkeep");
      expect(JSON.parse(hooks).hooks.beforeShellExecution[0].command).toContain("/etc/toolkeep/bin/toolkeep");
      expect(launcher).not.toMatch(/\bHOME=|NODE_OPTIONS|XDG_/);
      expect(seen.uninstall.out).toContain("/etc/claude-code/managed-settings.json: restored.");
      expect({ restored: seen.restored, isKept: seen.isKept, left: seen.left }).toEqual({
        ...{ restored: true, isKept: true, left: [] },
      });
    });

    test("doctor plays the managed hooks, also in a hostile environment", () => {
      expect(seen.doctor.code, seen.doctor.out).toBe(0);
      expect(seen.doctor.out).toContain("also in a hostile environment");
    });

    test.each(Object.entries(MACHINE_WAYS).filter(([, { isLong }]) => isWhole || isLong !== true))(
      "nothing is loosened: %s",
      (name, { limit, payload }) => {
        const actions = seen.tried[name] ?? [];
        if (limit === undefined) {
          expect(actions[0]).toMatch(/^(?:ask|deny)$/);
          // The client has no tool of another name, and an unknown tool asks.
          if (isWhole)
            expect(actions[1]).toMatch(payload?.["tool_name"] === undefined ? /^deny$/ : /^(?:ask|deny)$/);
        } else {
          expect(actions[0]).toBe("allow");
          expect(readFileSync(join(import.meta.dirname, "../SECURITY.md"), "utf8")).toContain(limit);
        }
      },
    );

    test("variables of a project do not move the record of what was decided", () => {
      expect(seen.moved).toEqual([]);
    });

    test("only servers that the administrator lists are started or accepted, by whichever command", () => {
      for (const { name, isListed, ran } of seen.server.entries)
        for (const { command, code, out, started } of ran) {
          const isAccepting = command.startsWith("servers accept");
          const expected = isListed && isAccepting ? ["/tmp/ran"] : [];
          // Which of the others start a server that may be started is not the question here.
          if (isAccepting || !isListed) expect(started, `${name}: ${command}\n${out}`).toEqual(expected);
          expect(started).not.toContain("/tmp/foreign");
          if (isAccepting) expect(code === 0, name).toBe(isListed);
          if (!isListed) expect(out).not.toMatch(/^Accepted in their current form: /m);
        }
    });

    test("the gateway starts a listed server that no project configures, without the project's variables", () => {
      const { environment, isForeign } = seen.server.unconfigured;
      expect(isForeign).toBe(false);
      expect(environment).toMatchObject({ PAYMENTS_URL: "https://pay.example", PATH: "/usr/bin:/bin" });
      expect(Object.keys(environment)).not.toContain("HTTPS_PROXY");
      const [listed, other] = seen.remote;
      expect(listed?.out).toContain("The gateway decides");
      expect(other?.out).toContain('"deny"');
    });

    test("without the administrator's policy, a machine with the launcher denies every call", () => {
      for (const { kubectl, status } of [seen.required.gone, seen.required.empty, seen.required.noLauncher])
        expect([kubectl, status.code], status.out).toEqual(["deny", 2]);
      expect(seen.required.gone.status.out).toContain("A managed policy is required here");
      expect(seen.required.own).toBe(1);
    });
  },
);
