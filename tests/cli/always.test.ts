import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { acceptServers } from "./accept-servers.ts";
import { OWN_COMMAND, OWN_LINE } from "./cli-bench.ts";
import { type DeciderBench, deciderBench, readPayload } from "./decider-bench.ts";
import { fakeNpx } from "./fake-npx.ts";
import { type GatewayClient, gatewayClient } from "./gateway-client.ts";
import { inTerminal } from "./pseudo-terminal.ts";

let bench: DeciderBench;
let env: Readonly<Record<string, string>>;

beforeEach(async () => {
  bench = await freshProject();
});
afterEach(() => bench.remove());

async function freshProject(): Promise<DeciderBench> {
  const fresh = deciderBench();
  env = { ...fresh.hookEnvironment, PATH: `${fakeNpx(fresh.base)}:${fresh.environment.PATH}` };
  const files = { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", fresh.project] };
  const notes = { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] };
  fresh.write(".mcp.json", JSON.stringify({ mcpServers: { files, notes } }));
  fresh.write("package.json", "{}");
  await acceptServers(fresh, ["files", "notes"]);
  return fresh;
}

type Form = ElicitRequest["params"];

/** A client that is started, makes one call and ends. Says which forms it was shown. */
async function oneCall(
  decision: "Allow once" | "Always allow" | "Reject",
  [name, args]: readonly [string, object],
) {
  const forms: Form[] = [];
  const elicit = (params: Form) => {
    forms.push(params);
    return { action: "accept" as const, content: { decision } };
  };
  const opened = await open(name.split("_")[0] ?? "", { elicit });
  try {
    const { isError } = await opened.call(name, args as Record<string, unknown>);
    return { isError, forms };
  } finally {
    await opened.client.close();
  }
}

function open(server: string, more: { elicit?(params: Form): ElicitResult } = {}): Promise<GatewayClient> {
  const [command, ...first] = OWN_COMMAND;
  const args = [...first, "gateway", "--server", server];
  return gatewayClient({ command, args, cwd: bench.project, env, ...more });
}

/** A hook starts the decider if none runs. */
async function newDecider(): Promise<number> {
  expect(await bench.hook(readPayload(bench, join(bench.project, "package.json")))).toMatchObject({
    code: 0,
  });
  const [pid = 0] = await bench.untilDeciders(1);
  return pid;
}

/** A gateway that serves, and is killed without a chance to write anything. */
async function killedGateway(): Promise<void> {
  const { client, pid } = await open("files");
  const closed = new Promise<void>((resolve) => {
    client.onclose = () => resolve();
  });
  process.kill(pid ?? 0, "SIGKILL");
  await closed;
}

const remembered = async (...more: string[]) =>
  JSON.parse((await bench.runHere(["approvals", "--always", "--json", ...more], { env })).stdout);

const write = (file = "package.json") =>
  ["files_write_file", { path: join(bench.project, file), content: "{}\n" }] as const;

const NOTE = ["notes_create_entities", { entities: [] }] as const;

/** `npm run campaign:always` takes five. */
const PROJECTS = Array.from({ length: Number(process.env["TOOLKEEP_RUNS"] ?? 1) }, (_, index) => index + 1);

describe('"always" for the project', () => {
  test.each(PROJECTS)(
    "lasts over restarts of client, gateway and decider, is listed, and asks again once it is revoked (fresh project %i)",
    async () => {
      const decider = await newDecider();
      const first = await oneCall("Always allow", write());
      expect(first).toMatchObject({ isError: false, forms: [{}] });
      expect(first.forms[0]?.message).toContain("Other paths are not covered.");
      expect(await oneCall("Reject", write())).toEqual({ isError: false, forms: [] });
      process.kill(decider, "SIGKILL");
      await bench.untilDeciders(0);
      await killedGateway();
      expect(await oneCall("Reject", write())).toEqual({ isError: false, forms: [] });
      expect(await newDecider()).not.toBe(decider);
      expect(await oneCall("Reject", write())).toEqual({ isError: false, forms: [] });
      const [answer, ...others] = await remembered();
      expect(others).toEqual([]);
      expect(answer.lines.join("\n")).toContain(`fs.write ${bench.project}/package.json`);
      expect(answer.by).toBe("user of test");
      expect(await bench.runHere(["approvals", "revoke", answer.id], { env })).toMatchObject({ code: 0 });
      expect(await remembered()).toEqual([]);
      await killedGateway();
      expect(await oneCall("Reject", write())).toMatchObject({ isError: true, forms: [{}] });
    },
  );

  test("covers what its words say: every call of a tool, or one path", async () => {
    const noted = await oneCall("Always allow", NOTE);
    expect(noted.forms[0]?.message).toContain(
      '"Always" allows every call of notes_create_entities, with any arguments: notes:create_entities',
    );
    const [name] = NOTE;
    const entities = [{ name: "a", entityType: "b", observations: [] }];
    expect(await oneCall("Reject", [name, { entities }])).toMatchObject({ forms: [] });
    expect(await oneCall("Reject", ["notes_delete_entities", { entityNames: ["a"] }])).toMatchObject({
      forms: [{}],
    });
    await oneCall("Always allow", write());
    expect(await oneCall("Reject", write("Makefile"))).toMatchObject({ isError: true, forms: [{}] });
  });

  test("counts in no other project, and never over a deny", async () => {
    await oneCall("Always allow", write());
    const mine = bench;
    const other = mine.project.replace(/project$/, "other");
    const moved = (text: string) => text.replaceAll(mine.project, other);
    mkdirSync(join(other, ".git"), { recursive: true });
    writeFileSync(join(other, ".mcp.json"), moved(readFileSync(join(mine.project, ".mcp.json"), "utf8")));
    writeFileSync(join(other, "package.json"), "{}");
    bench = { ...mine, project: other };
    await acceptServers(bench, ["files", "notes"]);
    expect(await oneCall("Reject", write())).toMatchObject({ isError: true, forms: [{}] });
    expect(await remembered("--project", other)).toEqual([]);
    bench = mine;
    const config = join(bench.environment.TOOLKEEP_HOME, "config");
    mkdirSync(config, { recursive: true, mode: 0o700 });
    const policy =
      'version: 1\nextends: [toolkeep:recommended]\nrules:\n  - deny fs.write "**/package.json"\n';
    writeFileSync(join(config, "policy.yaml"), policy, { mode: 0o600 });
    expect(await oneCall("Always allow", write())).toMatchObject({ isError: true, forms: [] });
  });

  test("is also what `approve --always` says, and revoking it reaches a gateway that runs", async () => {
    const served = await open("files");
    try {
      const calling = served.call(...write());
      const id = await pendingId();
      const outcome = await inTerminal(`${OWN_LINE} approve ${id} --always --yes`, [], {
        cwd: bench.project,
        env,
      });
      expect(outcome).toMatchObject({
        code: 0,
        shown: expect.stringContaining("remembered for the project"),
      });
      expect(await calling).toMatchObject({ isError: false });
      expect(await served.call(...write())).toMatchObject({ isError: false });
      expect(await bench.runHere(["approvals", "revoke", "--all"], { env })).toMatchObject({ code: 0 });
      const again = served.call(...write());
      const rejected = await bench.runHere(["approvals", "reject", await pendingId(), "--yes"], { env });
      expect(rejected.code).toBe(0);
      expect(await again).toMatchObject({ isError: true });
    } finally {
      await served.client.close();
    }
  });

  test("`approve --rule` adds the wider rule that the request lists to the user's policy", async () => {
    const served = await open("notes");
    try {
      const calling = served.call(...NOTE);
      const id = await pendingId();
      const outcome = await inTerminal(`${OWN_LINE} approve ${id} --rule --yes`, [], {
        cwd: bench.project,
        env,
      });
      expect(outcome).toMatchObject({ code: 0, shown: expect.stringContaining("with these rules") });
      expect(await calling).toMatchObject({ isError: false });
    } finally {
      await served.client.close();
    }
    const policy = readFileSync(join(bench.environment.TOOLKEEP_HOME, "config", "policy.yaml"), "utf8");
    expect(policy).toContain("allow mcp:notes:create_entities");
    expect(await oneCall("Reject", NOTE)).toMatchObject({ isError: false, forms: [] });
    expect(await remembered()).toEqual([]);
  });

  test("an id that names none, or no id at all, revokes nothing", async () => {
    await oneCall("Always allow", write());
    expect(await bench.runHere(["approvals", "revoke", "zz"], { env })).toMatchObject({
      code: 1,
      stdout: "",
    });
    expect(await bench.runHere(["approvals", "revoke"], { env })).toMatchObject({ code: 2, stdout: "" });
    expect(await remembered()).toHaveLength(1);
  });
});

async function pendingId(): Promise<string> {
  for (const until = Date.now() + 60_000; Date.now() < until; await wait(50)) {
    const listed = JSON.parse((await bench.runHere(["approvals", "--json"], { env })).stdout);
    if (listed.length > 0) return listed[0].id;
  }
  throw new Error("Nothing is pending.");
}
