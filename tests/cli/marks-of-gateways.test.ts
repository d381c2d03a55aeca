import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clientProcess, isRunning } from "../../packages/cli/src/hooks/decide/gateway/client-process.ts";
import {
  leaveForOthers,
  leaveMarks,
  marksFor,
} from "../../packages/cli/src/hooks/decide/gateway/conversation-marks.ts";
import { FROM_SOURCE } from "../from-source.ts";
import { acceptServers } from "./accept-servers.ts";
import { type CliBench, OWN_COMMAND } from "./cli-bench.ts";
import { type GatewayClient, gatewayClient } from "./gateway-client.ts";
import { hookBench, writeHome, writePolicy } from "./hook-bench.ts";

const SERVER = fileURLToPath(new URL("decision-server.ts", import.meta.url));
const KIT = { command: process.execPath, args: [...FROM_SOURCE, SERVER] };
const ALL = 'version: 1\nrules:\n  - "allow *"\n';

let bench: CliBench;
let gateways: GatewayClient[];
beforeEach(() => {
  bench = hookBench();
  gateways = [];
});
afterEach(async () => {
  await Promise.all(gateways.map(({ client }) => client.close()));
  vi.unstubAllEnvs();
  bench.remove();
});

const folder = () => join(bench.environment.TOOLKEEP_HOME, "state", "marks");

describe("a client without hooks, with a gateway for each server", () => {
  let forms: string[];
  beforeEach(async () => {
    forms = [];
    writePolicy(bench, ALL);
    bench.write(".toolkeep/mcp.json", JSON.stringify({ mcpServers: { web: KIT, notes: KIT } }));
    writeHome(bench, "../toolkeep/config/mcp.jsonc", '{ "servers": { "notes": { "isPrivate": true } } }');
    await acceptServers(bench, ["web", "notes"]);
  });

  async function gateway(name: string, before: readonly string[] = []): Promise<GatewayClient> {
    const own = [...OWN_COMMAND, "gateway", "--wrap", name];
    const [command = "", ...args] = before.length === 0 ? own : [...before, `"$@"; exit`, "sh", ...own];
    const opened = await gatewayClient({
      ...{ command, args, cwd: bench.project, env: bench.environment },
      elicit({ message }) {
        forms.push(message);
        return { action: "accept", content: { decision: "Allow once" } };
      },
    });
    gateways.push(opened);
    return opened;
  }

  test("asks before what one server has given leaves by another", async () => {
    const web = await gateway("web");
    const notes = await gateway("notes", ["/bin/sh", "-c"]);
    await web.call("fetch", { url: "https://docs.example/inject" });
    await notes.call("peek", { text: "salary" });
    expect(forms).toEqual([]);
    expect(await web.call("fetch", { url: "https://docs.example/?leak=1" })).toMatchObject({
      isError: false,
    });
    expect(forms).toEqual([expect.stringMatching(/private data away: .* and this call calls "fetch"/)]);
    const again = await gateway("web");
    forms = [];
    await again.call("note", { text: "x" });
    expect(forms, "a gateway that was started again").toHaveLength(1);
    expect(
      readdirSync(folder()).every((name) => (statSync(join(folder(), name)).mode & 0o777) === 0o600),
    ).toBe(true);
  });
});

describe("marks that gateways leave for each other", () => {
  const PRIVATE = new Map([["private", "step 1 reads it"]] as const);
  const one = (client: string | undefined, wrapped = "web", project = "/repo") => ({
    project,
    wrapped,
    client,
  });
  const OWN = clientProcess() ?? "";

  test("are for the gateways of one client and one project", async () => {
    leaveForOthers(one(OWN, "notes"), PRIVATE);
    expect(await marksFor(one(OWN))).toEqual(PRIVATE);
    expect(await marksFor(one("1-1"))).toEqual(new Map());
    expect(await marksFor(one(undefined))).toEqual(new Map());
    expect(await marksFor(one(OWN, "web", "/other"))).toEqual(new Map());
  });

  test("end with the client", async () => {
    leaveForOthers(one("999999999-1", "notes"), PRIVATE);
    leaveForOthers(one(OWN, "notes"), PRIVATE);
    expect(readdirSync(folder())).toHaveLength(2);
    await leaveMarks({ project: "/repo", wrapped: "web", sessionId: "s", callId: "c", marks: PRIVATE });
    const left = readdirSync(folder());
    expect(left.filter((name) => name.endsWith(`.${OWN}`))).toHaveLength(1);
    expect(left).toHaveLength(2);
  });

  test("are not left without a client, or with nothing to tell", () => {
    leaveForOthers(one(undefined), PRIVATE);
    leaveForOthers(one(OWN), new Map());
    expect(existsSync(folder())).toBe(false);
  });

  test("are not left in a folder of others", () => {
    mkdirSync(join(folder(), ".."), { recursive: true });
    writeFileSync(folder(), "");
    expect(() => leaveForOthers(one(OWN), PRIVATE)).toThrow();
  });
});

describe("the client of a process", () => {
  test("is its parent, and shells between them do not count", () => {
    expect(clientProcess(process.pid)).toMatch(new RegExp(`^${process.pid}-\\d+$`));
    expect(isRunning(clientProcess(process.pid) ?? "")).toBe(true);
  });

  test("is not another process that has its id later", () => {
    expect(isRunning(`${process.pid}-1`)).toBe(false);
    expect(isRunning("999999999-1")).toBe(false);
    expect(clientProcess(999_999_999)).toBeUndefined();
  });
});
