import { createSession, ToolkeepError } from "@toolkeep/core";
import { CANARY, type Fixture } from "./fixture.ts";
import { type Ground, play } from "./play.ts";
import type { CorpusRecord } from "./record.ts";
import { handTools } from "./tools.ts";
import { faultOf } from "./verdict.ts";

type Judge = (record: CorpusRecord, fixture: Fixture, ground: Ground) => Promise<string | undefined>;

/** Records of which more is demanded than one call shows. Each gives what is wrong. */
export const PARTICULAR: Readonly<Record<string, Judge>> = {
  /** A name that nobody knows is refused before there is a session. */
  async P038({ setup }, _fixture, { workspace }) {
    try {
      await createSession({
        ...workspace.session(),
        tools: handTools(["*"]),
        ceiling: { fs: { read: [...(setup.manifest?.fs?.read ?? [])] } },
      });
      return "it was taken";
    } catch (error) {
      return ToolkeepError.isInstance(error) ? undefined : String(error);
    }
  },
  /** With or without the dot at its end, a host is the same one. */
  async N054(record, fixture, ground) {
    const plain = { ...record, input: { url: String(record.input["url"]).replace("./", "/") } };
    const [dotted, undotted] = [
      await play(record, "together", fixture, ground),
      await play(plain, "together", fixture, ground),
    ];
    if (dotted.damage.length > 0) return dotted.damage.join(", ");
    return dotted.result.ok === undotted.result.ok ? undefined : "the dot makes a difference";
  },
  /** It succeeds, and the proxy of the environment sees nothing of it. */
  async N063(record, fixture, ground) {
    const before = { ...process.env };
    Object.assign(process.env, fixture.place(record.setup.env));
    try {
      const { damage, result } = await play(record, "together", fixture, ground);
      if (damage.length > 0) return damage.join(", ");
      return result.ok ? undefined : `${result.failure?.message}`;
    } finally {
      for (const name of Object.keys(record.setup.env ?? {})) delete process.env[name];
      Object.assign(process.env, before);
    }
  },
  L022: sidecar,
  L023: sidecar,
};

/** What a session kept for itself is no file for others to read, and for nobody to write. */
async function sidecar(record: CorpusRecord, fixture: Fixture, ground: Ground): Promise<string | undefined> {
  const ports = ground.workspace.session();
  const file = await ports.sidecar.open("other");
  await file.write(new TextEncoder().encode(CANARY));
  await file.close();
  const input = { ...record.input, path: file.path };
  const fault = faultOf(record, await play({ ...record, input }, "together", fixture, ground));
  const kept = await ports.sidecar.read(file.path);
  await ports.sidecar.clear();
  return fault ?? (new TextDecoder().decode(kept) === CANARY ? undefined : "it was changed");
}
