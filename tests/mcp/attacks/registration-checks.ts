import type { Registry } from "@toolkeep/core";
import { bashTool, readTool } from "@toolkeep/tools/internal";
import { expect } from "vitest";
import type { McpAttack, McpCheck } from "./record.ts";
import { reportOf, Stage, until } from "./stage.ts";
import { toldTool } from "./told.ts";

const BUNDLED = { origin: { layer: "bundled", source: "bundled" }, locked: true } as const;

function registerStandardTools(registry: Registry): void {
  registry.register(readTool() as never, BUNDLED);
  registry.register(bashTool() as never, BUNDLED);
}

/** Whatever it is called, and whether names get a prefix or not: ours stays, and its own is never used. */
async function imitates({ input }: McpAttack): Promise<void> {
  for (const naming of ["plain", "prefixed"] as const) {
    await using stage = new Stage();
    registerStandardTools(stage.registry);
    const before = new Map(stage.registry.list().map((one) => [one.name, one]));
    const source = stage.source({ naming });
    const tool = toldTool(String(input["name"]), { description: input["description"] });
    await source.add(stage.entry("evil", { tools: [tool] }));
    for (const [name, one] of before) expect(stage.registry.get(name)).toBe(one);
    const { tools } = reportOf(source, "evil");
    const names = new Set(before.keys());
    expect(tools.filter((name) => names.has(name.toLowerCase()))).toEqual([]);
    if (naming === "plain") expect(tools.filter((name) => !/_resource|_prompt/.test(name))).toEqual([]);
    // With a prefix a plain name is one of the server's own; one that looks like another's never is.
    else expect(tools.every((name) => name.startsWith("evil_") && /^[\w-]+$/.test(name))).toBe(true);
  }
}

/** A name with letters that look like others is refused whatever stands before it. */
async function imitatesByLetters(attack: McpAttack): Promise<void> {
  await imitates(attack);
  await using stage = new Stage();
  const source = stage.source();
  await source.add(stage.entry("evil", { tools: [toldTool(String(attack.input["name"]))] }));
  expect(reportOf(source, "evil").inReview).toMatchObject([{ why: "refused" }]);
}

/** `a` has `search`; another server must not be found under any name that leads there. */
async function collides({ input }: McpAttack): Promise<void> {
  await using stage = new Stage();
  const source = stage.source();
  await source.add(stage.entry("a", { tools: [toldTool("search")] }));
  await source.add(stage.entry("b", { tools: [toldTool(String(input["name"]))] }));
  const plain = stage.source({ naming: "plain" });
  await plain.add(stage.entry("c", { tools: [toldTool(String(input["name"])), toldTool("a_search")] }));
  const names = stage.registry.list().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const tool of ["a_search", "a__search", "mcp:a:search", "mcp_a_search"]) {
    const { result } = await stage.call({ tool });
    expect(result.ok, tool).toBe(true);
  }
  expect(stage.log("a").filter((line) => line === "call search")).toHaveLength(4);
  expect([...stage.log("b"), ...stage.log("c")].filter((line) => line.startsWith("call"))).toEqual([]);
}

/** It awaits review, is shown in full to the user who decides, and is used only after the user accepts it. */
async function isFlagged({ input }: McpAttack): Promise<void> {
  await using stage = new Stage();
  const source = stage.source();
  await source.add(stage.entry("mail", { tools: [toldTool("send_email")] }));
  const name = String(input["name"]);
  await source.add(stage.entry("evil", { tools: [toldTool(name, { description: input["description"] })] }));
  expect(reportOf(source, "evil").inReview).toMatchObject([
    { tool: name, why: "suspicious", description: input["description"] },
  ]);
  expect(stage.asked).toMatchObject([
    { kind: "tool", server: "evil", inReview: { description: input["description"] } },
  ]);
  expect(stage.registry.get(`evil_${name}`)).toBeUndefined();
  await source.accept("evil", reportOf(source, "evil").inReview);
  expect(stage.registry.get(`evil_${name}`)).toBeDefined();
}

/** Never used, and no acceptance helps. */
async function isRefused({ input }: McpAttack): Promise<void> {
  await using stage = new Stage();
  const source = stage.source();
  const name = String(input["name"]);
  await source.add(
    stage.entry("evil", { tools: [toldTool(name, { description: input["description"] }), toldTool("fine")] }),
  );
  expect(reportOf(source, "evil").inReview).toMatchObject([{ tool: name, why: "refused" }]);
  await source.accept("evil", reportOf(source, "evil").inReview);
  expect(stage.registry.get(`evil_${name}`)).toBeUndefined();
  expect(stage.registry.get("evil_fine")).toBeDefined();
}

/** What was accepted is taken away as soon as it says something else of itself, and comes back when that is accepted. */
async function changes(fields: object): Promise<void> {
  await using stage = new Stage();
  const source = stage.source();
  await source.add(stage.entry("sky", { tools: [toldTool("weather")] }));
  expect(stage.registry.get("sky_weather")).toBeDefined();
  stage.tell("sky", { tools: [toldTool("weather", fields)] });
  await until(() => reportOf(source, "sky").inReview.length > 0, "the change was noticed");
  expect(reportOf(source, "sky").inReview).toMatchObject([{ tool: "weather", why: "changed" }]);
  expect(stage.registry.get("sky_weather")).toBeUndefined();
  const { result } = await stage.call({ tool: "sky_weather" });
  expect(result.failure?.code).toBe("not_found");
  expect(stage.log("sky")).not.toContain("call weather");
  await source.accept("sky", reportOf(source, "sky").inReview);
  expect((await stage.call({ tool: "sky_weather" })).result.ok).toBe(true);
}

/** Accepted once; started in another way under the same name it is held. */
async function commandEdited(): Promise<void> {
  await using stage = new Stage();
  const owner = stage.workspace;
  const consent = async () => true;
  const good = stage.entry("good", { tools: [toldTool("x")] }, { isOfProject: true });
  const accepted = stage.source({ owner, consent });
  await accepted.add(good);
  expect(reportOf(accepted, "good").status.state).toBe("ready");
  await accepted.close();
  const edited = [
    { ...good, args: [...good.args, "--evil"] },
    { ...good, env: { EVIL: "1" } },
    { ...good, command: "/bin/sh" },
    { ...good, cwd: stage.folder },
  ];
  const starts = stage.log("good").filter((line) => line === "started").length;
  for (const entry of edited) {
    const source = stage.source({ owner });
    await source.add(entry);
    expect(reportOf(source, "good")).toMatchObject({ status: { state: "awaiting_review" }, tools: [] });
    expect(stage.asked.at(-1)).toMatchObject({ kind: "server", why: "changed" });
  }
  expect(stage.log("good").filter((line) => line === "started")).toHaveLength(starts);
  const again = stage.source({ owner });
  await again.add(good);
  expect(reportOf(again, "good").status.state).toBe("ready");
}

async function projectServer(): Promise<void> {
  await using stage = new Stage();
  const source = stage.source({ owner: stage.workspace });
  await source.add(
    stage.entry(
      "theirs",
      { tools: [toldTool("x")] },
      { isOfProject: true, file: `${stage.workspace}/.mcp.json` },
    ),
  );
  expect(reportOf(source, "theirs")).toMatchObject({ status: { state: "awaiting_review" }, tools: [] });
  expect(stage.asked).toMatchObject([{ kind: "server", why: "new", entry: { name: "theirs" } }]);
  expect(stage.log("theirs")).toEqual([]);
  await source.accept("theirs");
  expect(stage.log("theirs")[0]).toBe("started");
}

/** A hint grants nothing: without an approver the call is denied, and with one it is asked about. */
async function hintsOnly({ input }: McpAttack): Promise<void> {
  await using stage = new Stage();
  const source = stage.source();
  const { name, ...annotations } = input;
  const hints = { ...annotations, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  await source.add(stage.entry("db", { tools: [toldTool(String(name), { annotations: hints })] }));
  const tool = `db_${String(name)}`;
  expect((await stage.call({ tool }, "reject")).asked).toBe(1);
  expect(stage.log("db")).not.toContain(`call ${String(name)}`);
  expect(stage.registry.get(tool)?.tool).toMatchObject({ gated: true, idempotent: false });
  expect(stage.registry.get(tool)?.tool.mode).not.toBe("read");
  expect((await stage.call({ tool }, "once")).result.ok).toBe(true);
}

const ADDED_FIELD = { inputSchema: { type: "object", properties: { env: { type: "string" } } } };

export const REGISTRATION_CHECKS: Readonly<Record<string, McpCheck>> = {
  M001: imitates,
  M002: imitates,
  M003: imitatesByLetters,
  M004: imitatesByLetters,
  M005: collides,
  M006: isFlagged,
  M007: isRefused,
  M008: isRefused,
  M009: isFlagged,
  M010: ({ input }) => changes({ description: input["description"] }),
  M011: () => changes(ADDED_FIELD),
  M012: commandEdited,
  M013: projectServer,
  M018: hintsOnly,
};
