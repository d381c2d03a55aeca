import { createSession, ToolkeepError } from "@toolkeep/core";
import { CANARY, type Fixture } from "./fixture.ts";
import { type MatchedBy, play } from "./play.ts";
import type { CorpusRecord } from "./record.ts";
import { realTools } from "./tools.ts";
import { errorOf } from "./verdict.ts";

type Evaluate = (record: CorpusRecord, fixture: Fixture, stage: MatchedBy) => Promise<string | undefined>;

/** Records of which more is demanded than one call shows. Each gives what is wrong. */
export const PARTICULAR: Readonly<Record<string, Evaluate>> = {
  /** An unknown name is refused before there is a session. */
  async P038({ setup }, _fixture, { workspace }) {
    try {
      await createSession({
        ...workspace.sessionOptions(),
        tools: realTools(["*"], "http://docs.example.test/search"),
        ceiling: { fs: { read: [...(setup.manifest?.fs?.read ?? [])] } },
      });
      return "it was taken";
    } catch (error) {
      return ToolkeepError.isInstance(error) ? undefined : String(error);
    }
  },
  /** With or without the dot at its end, a host is the same one. */
  async N054(record, fixture, stage) {
    const plain = { ...record, input: { url: String(record.input["url"]).replace("./", "/") } };
    const [dotted, undotted] = [
      await play(record, "together", fixture, stage),
      await play(plain, "together", fixture, stage),
    ];
    if (dotted.damage.length > 0) return dotted.damage.join(", ");
    return dotted.result.ok === undotted.result.ok ? undefined : "the dot makes a difference";
  },
  /** It succeeds, and the proxy of the environment sees nothing of it. */
  async N063(record, fixture, stage) {
    const before = { ...process.env };
    Object.assign(process.env, fixture.place(record.setup.env));
    try {
      const { damage, result } = await play(record, "together", fixture, stage);
      if (damage.length > 0) return damage.join(", ");
      return result.ok ? undefined : `${result.failure?.message}`;
    } finally {
      for (const name of Object.keys(record.setup.env ?? {})) delete process.env[name];
      Object.assign(process.env, before);
    }
  },
  /** The edit is made; but what a rule allowed by its name is asked about, because it has become something else. */
  async C029(record, fixture, stage) {
    const rules = [["edit", "**", "allow"] as const, ...(record.setup.rules ?? [])];
    const setup = { ...record.setup, rules };
    const then = { id: "then", name: "bash", arguments: { command: "npm test" } };
    const untouched = await play(
      { ...record, setup, tool: "bash", input: then.arguments },
      "together",
      fixture,
      stage,
    );
    if (untouched.result.failure?.code === "denied") return "npm test was not allowed to begin with";
    const { result, damage, after } = await play({ ...record, setup }, "together", fixture, {
      ...stage,
      then,
    });
    if (damage.length > 0) return damage.join(", ");
    if (!result.ok) return `the edit failed: ${result.failure?.message}`;
    return after?.failure?.code === "denied" ? undefined : "npm test ran as if nothing had been changed";
  },
  /** What its own session kept is read by its path. */
  async L021(_record, _fixture, { workspace }) {
    const session = await createSession({
      ...workspace.sessionOptions(),
      tools: realTools(["*"], "http://docs.example.test/search"),
      policy: [{ permission: "*", action: "allow" }],
    });
    const long = { id: "c1", name: "bash", arguments: { command: "seq 1 100000" } };
    const path = (await session.call(long)).truncation?.path;
    const read = { id: "c2", name: "read", arguments: { path: path ?? "", offset: 99_000, limit: 2 } };
    const { ok, failure, data, content } = await session.call(read);
    await session.close();
    if (path === undefined) return "nothing was kept";
    if (!ok) return `${failure?.message}`;
    return JSON.stringify([data, content]).includes("99000") ? undefined : "it is not what was kept";
  },
  /** The session's twenty-sixth search is refused. */
  async R020(record, _fixture, { workspace, world }) {
    const session = await createSession({
      ...workspace.sessionOptions(),
      tools: realTools(["*"], world.searchUrl),
      policy: [{ permission: "*", action: "allow" }],
    });
    const codes: (string | undefined)[] = [];
    for (let index = 1; index <= 26; index += 1) {
      const result = await session.call({ id: `c${index}`, name: "web_search", arguments: record.input });
      codes.push(result.failure?.code);
    }
    await session.close();
    const [last, ...before] = codes.toReversed();
    if (before.some((code) => code !== undefined)) return `it failed before: ${before.find(Boolean)}`;
    return last === undefined ? "it was searched once more" : undefined;
  },
  L022: sidecar,
  L023: sidecar,
};

/** The outputs that a session kept cannot be read by other sessions or written by anyone. */
async function sidecar(
  record: CorpusRecord,
  fixture: Fixture,
  stage: MatchedBy,
): Promise<string | undefined> {
  const ports = stage.workspace.sessionOptions();
  const file = await ports.sidecar.open("other");
  await file.write(new TextEncoder().encode(CANARY));
  await file.close();
  const input = { ...record.input, path: file.path };
  const error = errorOf(record, await play({ ...record, input }, "together", fixture, stage));
  const kept = await ports.sidecar.read(file.path);
  await ports.sidecar.clear();
  return error ?? (new TextDecoder().decode(kept) === CANARY ? undefined : "it was changed");
}
