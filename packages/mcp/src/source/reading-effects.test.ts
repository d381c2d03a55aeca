import type { ApprovalRequest, SessionOptions } from "@toolkeep/core";
import { expect, test } from "vitest";
import type { EffectMap } from "../effect-maps/effect-map.ts";
import { type StageOptions, sourceStage } from "./source-stage.test.kit.ts";

const map: EffectMap = {
  name: "pages",
  packages: [],
  tools: {},
  prompts: { fetch: [{ capability: "net.fetch", target: "{host:url}" }] },
};
const script = {
  tools: [],
  resources: [{ uri: "https://evil.example/x", text: "x" }],
  prompts: ["fetch", "greet"],
};

async function opened(settings: StageOptions, options: Partial<SessionOptions>) {
  const { source, server, session } = sourceStage(settings);
  await source.add(await server("s", script));
  const open = await session(options);
  let calls = 0;
  return (name: string, args: Record<string, unknown>) =>
    open.call({ id: `c${++calls}`, name: `s_${name}`, arguments: args });
}

test.each([
  ["mapped", { maps: [map], settings: { s: { map: "pages" } } }],
  ["unmapped", {}],
])(
  "a deny on hosts holds for prompts and resources with addresses of a server that is %s",
  async (_what, settings) => {
    const call = await opened(settings, {
      approver: async () => ({ verdict: "once" }),
      policy: [{ permission: "net.fetch", pattern: "evil.example", action: "deny" }],
    });
    const url = "https://evil.example/page";
    const denied = [
      await call("get_prompt", { name: "fetch", arguments: { url } }),
      await call("get_prompt", { name: "greet", arguments: { text: `Look at ${url}, please.` } }),
      await call("read_resource", { uri: "https://evil.example/x" }),
    ];
    expect(denied.map(({ failure }) => failure?.code)).toEqual(["denied", "denied", "denied"]);
    const fine = await call("get_prompt", { name: "fetch", arguments: { url: "https://fine.example/" } });
    expect(fine.ok).toBe(true);
  },
);

test("an `always` for a prompt covers it with these arguments, and with no others", async () => {
  const asked: ApprovalRequest[] = [];
  const call = await opened(
    {},
    {
      approver: async (request) => {
        asked.push(request);
        return { verdict: "always", scope: "session" };
      },
    },
  );
  const prompt = (text: string) => call("get_prompt", { name: "greet", arguments: { text } });
  for (const text of ["one", "one", "two", "one"]) expect((await prompt(text)).ok).toBe(true);
  expect(asked).toHaveLength(2);
  expect(JSON.stringify(asked.map(({ lines }) => lines))).not.toContain("undefined");
});

test("what a map takes for granted stands in the environment of the program, whatever its entry says", async () => {
  const seen: unknown[] = [];
  const { source, program } = sourceStage({
    maps: [{ ...map, environment: { SAFE: "1" } }],
    settings: { s: { map: "pages" } },
    connect: (entry) => {
      seen.push(entry.kind === "stdio" ? entry.env : undefined);
      throw new Error("far enough");
    },
  });
  const entry = { ...(await program("s", { tools: [] })), env: { SAFE: "0", OTHER: "x" } };
  await source.add(entry).catch(() => {});
  expect(seen).toEqual([{ SAFE: "1", OTHER: "x" }]);
});

test("a project's program starts in the project, and only there", async () => {
  const folders: (string | undefined)[] = [];
  const { source, program, folder } = sourceStage({
    says: () => true,
    connect: (entry) => {
      folders.push(entry.kind === "stdio" ? entry.cwd : undefined);
      throw new Error("far enough");
    },
  });
  await source.add({ ...(await program("theirs", { tools: [] })), isOfProject: true }).catch(() => {});
  await source.add(await program("mine", { tools: [] })).catch(() => {});
  expect(folders).toEqual([folder, undefined]);
});
