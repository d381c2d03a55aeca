import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolkeepError } from "@toolkeep/core";
import { openSandbox, openWorkspace } from "@toolkeep/node";
import { harmWithoutLayers } from "./control.ts";
import { ELSEWHERE } from "./elsewhere.ts";
import { makeFixture, workspaceIn } from "./fixture.ts";
import { loginWithKey } from "./keyring.ts";
import { PARTICULAR } from "./particular.ts";
import { type Layer, type MatchedBy, play } from "./play.ts";
import { type AloneLayer, type CorpusRecord, readCorpus } from "./record.ts";
import { sandboxAlone } from "./sandbox-alone.ts";
import { errorOf } from "./verdict.ts";
import { openWorld } from "./world.ts";

/** What each layer made of a record. `undefined`: it has no say. */
export interface Line {
  readonly id: string;
  readonly group: string;
  readonly demanded: string;
  readonly rules?: boolean;
  readonly io?: boolean;
  readonly sandbox?: boolean;
  readonly hook?: boolean;
  readonly together: boolean;
  /** What is wrong, with everything there. */
  readonly error?: string;
  /** What it did where nothing stopped it. */
  readonly harm?: readonly string[];
  /** Nothing was tried, because it can do no harm here: the kernel does not have what it asks for. */
  readonly isVoid?: true;
  /** What the hook answered last. */
  readonly said?: "allow" | "ask" | "deny" | "safe form";
  readonly milliseconds: number;
}

/** Plays every record as the current user. Start it within a jail. */
loginWithKey();
const folder = mkdtempSync(join(tmpdir(), "corpus-"));
chmodSync(folder, 0o711);
const world = await openWorld();
const only = process.argv[2] ?? "";
/** The users divide the records, and each layer alone is tried only where the record says what it must do. */
const isQuick = process.argv[4] === "divided";
/** Which share of the records is played here, e.g. `0/2`. */
const [share = 0, shares = 1] = isQuick ? (process.argv[3] ?? "").split("/").map(Number) : [];
const sandbox = await openSandbox();
const place = { folder, internalPort: world.internalPort };
const first = readCorpus()[0];
if (first !== undefined) makeFixture(first, place);
const workspace = await openWorkspace({
  roots: [workspaceIn(folder)],
  sandbox,
  network: world.settings,
  sidecars: join(folder, "sidecars"),
  environment: { values: { SECRET_TOKEN: "CANARY-5b1f0c7e92" } },
  limits: { commands: { outputBytes: 16_000_000 } },
});
const stage: MatchedBy = { world, workspace };

for (const [index, record] of readCorpus().entries()) {
  if (!record.id.startsWith(only) || index % shares !== share) continue;
  if (ELSEWHERE[record.id] !== undefined) continue;
  console.log(JSON.stringify(await tried(record)));
}
await workspace.close();
world.close();

async function tried(record: CorpusRecord): Promise<Line> {
  const { id, group, must } = record;
  const started = performance.now();
  const outcome = must.layers === undefined ? await byEachLayer(record) : await byNamedLayers(record);
  const { error } = outcome;
  return {
    ...{ id, group, demanded: must.decision },
    ...outcome,
    together: error === undefined,
    milliseconds: Math.round(performance.now() - started),
  };
}

type Outcome = Pick<Line, AloneLayer | "error" | "harm" | "isVoid">;

async function byEachLayer(record: CorpusRecord): Promise<Outcome> {
  const alone = record.must.decision === "allow" || isQuick ? {} : { ...(await stopped(record)) };
  const error = await errorTogether(record);
  return { ...alone, ...(error === undefined ? {} : { error }) };
}

/** First without any layer: an attack that does no harm then proves nothing. */
async function byNamedLayers(record: CorpusRecord): Promise<Outcome> {
  const harm = await harmWithoutLayers(record, makeFixture(record, place));
  if (harm.length === 0 && record.setup.kernel === true) return { harm, isVoid: true };
  if (harm.length === 0) return { harm, error: "void: it does no harm where nothing stops it" };
  const alone: { [layer in AloneLayer]?: boolean } = {};
  for (const layer of record.must.layers ?? [])
    if (layer !== "sandbox") alone[layer] = await isStoppedBy(layer, record);
  const played = await play(record, "together", makeFixture(record, place), stage);
  // Only the sandbox is left to stop a command that rules allow.
  if (record.must.layers?.includes("sandbox")) alone.sandbox = played.ran && played.damage.length === 0;
  const weak = record.must.layers?.find((layer) => alone[layer] !== true);
  const error = errorOf(record, played) ?? (weak === undefined ? undefined : `${weak} alone do not stop it`);
  return { ...alone, harm, ...(error === undefined ? {} : { error }) };
}

/** Whether each layer would have stopped it had there been no other. */
async function stopped(record: CorpusRecord): Promise<Pick<Line, AloneLayer>> {
  const io = await isStoppedBy("io", record);
  const rules = await isStoppedBy("rules", record);
  const harm = await sandboxAlone(record, makeFixture(record, place), { sandbox, world });
  return { rules, io, ...(harm === "not tried" ? {} : { sandbox: harm.length === 0 }) };
}

async function isStoppedBy(layer: Layer, record: CorpusRecord): Promise<boolean> {
  try {
    const { ran, result, damage } = await play(record, layer, makeFixture(record, place), stage);
    const acted = layer === "rules" || record.tool === "bash" ? ran : result.ok;
    return !acted && damage.length === 0;
  } catch (error) {
    // An invalid option of the host application was refused when the session opened; any other error is one of this run.
    if (ToolkeepError.isInstance(error)) return true;
    throw error;
  }
}

async function errorTogether(record: CorpusRecord): Promise<string | undefined> {
  const fixture = makeFixture(record, place);
  const particular = PARTICULAR[record.id];
  if (particular !== undefined) return particular(record, fixture, stage);
  return errorOf(record, await play(record, "together", fixture, stage));
}
