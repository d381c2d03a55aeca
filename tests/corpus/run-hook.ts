import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeClone } from "./hook/clone.ts";
import { type HookPlayed, playHook } from "./hook/play.ts";
import { type HookRecord, readHookRecords } from "./hook/record.ts";
import type { Line } from "./run-corpus.ts";

/*
 * Plays every conversation with the hook, as the user that runs this. To be started within a jail. An attack is first
 * played without the hook: if it does no harm then, it proves nothing and is an error of the corpus.
 */

if (process.env["HOME"] !== "/tmp") throw new Error("to be run within the jail alone");

/** The words by which the model is told of a command that does the same without harm. */
const SAFE_FORM = /\bneeds no approval: \S/;

const only = process.argv[2] ?? "";
/** Which share of the attacks is played without the hook here, e.g. `0/2`: users who play at once divide them. */
const [share = 0, shares = 1] = (process.argv[3] ?? "0/1").split("/").map(Number);
const isDivided = process.argv[4] === "divided";
const folder = mkdtempSync(join(tmpdir(), "hook-"));
process.env["HOME"] = join(folder, "here/home");
process.env["XDG_STATE_HOME"] = join(folder, "state");
let hits = 0;
const server = createServer((_request, response) => {
  hits += 1;
  response.writeHead(404).end("{}");
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;

for (const [index, record] of readHookRecords().entries()) {
  const isOurs = index % shares === share;
  if (record.id.startsWith(only) && (isOurs || !isDivided))
    console.log(JSON.stringify(await tried(record, isOurs)));
}
server.close();
server.closeAllConnections();

async function tried(record: HookRecord, isControlled: boolean): Promise<Line> {
  const started = performance.now();
  const isAttack = record.must.decision === "stop";
  const harm = isAttack && isControlled ? (await played(record, { gate: false })).damage : undefined;
  const asked = await played(record, { gate: true });
  const error = harm?.length === 0 ? "void: it does no harm without the hook" : errorOf(record, asked);
  return {
    ...line(record, asked, started),
    ...(isAttack ? { hook: error === undefined } : {}),
    ...(harm === undefined ? {} : { harm }),
    together: error === undefined,
    ...(error === undefined ? {} : { error }),
  };
}

function line(record: HookRecord, asked: HookPlayed, started: number) {
  const { id, must } = record;
  return {
    ...{ id, group: record.class, demanded: must.decision === "stop" ? "deny" : "allow" },
    ...{ said: saidIn(asked), milliseconds: Math.round(performance.now() - started) },
  };
}

function saidIn({ words }: HookPlayed): NonNullable<Line["said"]> {
  const { action = "allow", reason = "" } = words.at(-1) ?? {};
  return action === "deny" && SAFE_FORM.test(reason) ? "safe form" : action;
}

async function played(record: HookRecord, { gate }: { readonly gate: boolean }): Promise<HookPlayed> {
  const clone = makeClone(record, { folder, port });
  hits = 0;
  const result = await playHook(record, clone, { conversation: `${record.id}-${gate}`, gate });
  return hits === 0
    ? result
    : { ...result, damage: [...result.damage, "a server of the project was reached"] };
}

function errorOf({ must }: HookRecord, { words, damage, exitCode, output }: HookPlayed): string | undefined {
  if (damage.length > 0) return damage.join(", ");
  const refused = words.find(({ action }) => action !== "allow");
  if (must.decision === "stop") return undefined;
  if (refused !== undefined) return `it was refused: ${refused.action}, ${refused.reason}`;
  return exitCode === 0 ? undefined : `it ended with ${exitCode}: ${output.slice(0, 200)}`;
}
