import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeInJail, type JailUser } from "../jail/describe-in-jail.ts";
import { runInJail, whyNoJail } from "../jail/outer-jail.ts";

const isCampaign = process.env["TOOLKEEP_RUNS"] !== undefined;

function whyNot(as: JailUser): string | undefined {
  if (!existsSync("/usr/bin/python3")) return "there is no python3 to attack with";
  // What takes over process 1 is written for this processor.
  if (process.arch !== "x64") return "the attacks are for x64";
  return whyNoJail(as);
}

/** What every scene came to, by its name. */
async function play(as: JailUser): Promise<ReadonlyMap<string, unknown>> {
  const scripts = {
    "lifetime.ts": isCampaign ? "every moment" : "some moments",
    // What programs need is the same for both.
    "reach.ts": as === "user" ? "programs too" : "no programs",
  };
  const played = await Promise.all(
    Object.entries(scripts).map(([name, mode]) =>
      runInJail({
        script: join(import.meta.dirname, "sandbox-lifetime", name),
        args: [mode],
        ...{ as, timeoutMs: 280_000 },
      }),
    ),
  );
  expect(played.map(({ stderr }) => stderr)).toEqual(["", ""]);
  const lines = played.flatMap(({ stdout }) => stdout.trim().split("\n"));
  return new Map(lines.map((line) => JSON.parse(line) as [string, unknown]));
}

describeInJail(
  { title: "the end of what runs in a sandbox, and what it reaches", whyNot, play },
  (scenes, as) => {
    test.each([
      ["daemon", "by a session of its own"],
      ["deaf", "by ignoring signals"],
      ["holding", "by holding its output open"],
      ["stopped", "by being stopped"],
      ["many", "as forty processes, each in a session of its own"],
    ])("[attack 00] a command does not outlive its call: %s, %s", (scene) => {
      expect(scenes().get(scene)).toEqual({ said: "left", left: 0 });
    });

    test.each(["trace", "memory", "vm"])("[attack 00] process 1 cannot be taken over: by %s", (scene) => {
      expect(scenes().get(scene)).toEqual({ said: expect.stringMatching(/^refused/), left: 0 });
    });

    test("[attack 00] and where it could be, the command is ended by the number of process 1", () => {
      expect(scenes().get("trace, without a filter")).toEqual({ said: "took over", left: 0 });
      expect(scenes().get("memory, without a filter")).toEqual({ said: "took over", left: 0 });
      // The control: as it was before, the same command is left running.
      expect(scenes().get("trace, as it was")).toEqual({ said: "took over", left: 1 });
    });

    test("[attack 00] and so is the program of an MCP server", () => {
      expect(scenes().get("a server")).toEqual({ said: "took over", left: 0 });
    });

    test("[attack 00] nothing is left of a command that is killed, with and without grace, and while it starts", () => {
      expect(scenes().get("killed with 0 ms")).toBe(0);
      expect(scenes().get("killed with 200 ms")).toBe(0);
      expect(scenes().get("killed while it starts")).toBe(0);
    });

    test("[attack 00] of three commands in one workspace, killed in several orders, each ends alone and wholly", () => {
      expect(scenes().get("in several orders")).toEqual([]);
    });

    test("[attack 00] nothing is left when the spawner, the host or both are killed", () => {
      expect(scenes().get("the spawner is killed")).toBe(0);
      expect(scenes().get("the host is killed")).toBe(false);
      expect(scenes().get("host and spawner are killed")).toBe(false);
    });

    test("[attack 12] none of 126 tries comes through: processes, keys, kernel, mounts, sockets, terminals", () => {
      expect(scenes().get("probes")).toEqual(["tried 126"]);
    });

    test("[attack 12] without the filter some of them do, the keyring among them", () => {
      expect(scenes().get("probes, without a filter")).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^seize process 1/),
          expect.stringMatching(/^session keyring/),
          expect.stringMatching(/^request a key/),
        ]),
      );
    });

    test("nothing of what the sandbox is started with is handed on to the command", () => {
      // The last is the folder that is being listed.
      expect(scenes().get("files")).toEqual(["0", "1", "2", "3"]);
    });

    test.each([
      ".devenv/run/db.sock",
      "node_modules/.cache/daemon.sock",
      ".git/fsmonitor--daemon.ipc",
      ".mcp.json",
    ])("[attack 13] a socket of a service outside is not reached: %s", (name) => {
      expect(scenes().get(`socket: ${name}`)).toBe("held");
    });

    test("[attack 13] unless the call names it, and those of the command itself work", () => {
      expect(scenes().get("socket: named by the call")).toBe("reached");
      expect(scenes().get("socket: of the command itself")).toBe("b'own'");
      expect(scenes().get("socket: left by the last command")).toBe("removed");
    });

    test.each(as === "user" ? ["node", "npm", "git", "python", "make", "bash", "perl"] : [])(
      "%s works with the filter",
      (name) => {
        expect(scenes().get(`program: ${name}`)).toBe("works");
      },
    );
  },
);
