import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { mustRun } from "../../../scripts/run-program.ts";
import { OWN_COMMAND } from "../../cli/cli-bench.ts";
import { placed, type Shop } from "../hook/shop.ts";
import { bash, type ClientCall, read, wordsOf } from "../step.ts";
import { HARMLESS } from "./claude-code.ts";
import type { RealClient } from "./real-client.ts";
import type { RecordedCall, RecordedCommand, RecordedConversation } from "./recorded-conversation.ts";
import { openRound, placeOfTests } from "./round.ts";
import { startModel } from "./scripted-model.ts";
import { openTexts } from "./texts.ts";

interface Scene {
  readonly shows: RecordedCall["shows"];
  readonly call: ClientCall;
  /** Whether it went as it is called. */
  isSeen(seen: Seen, shop: Shop): boolean;
}

interface Seen {
  readonly result: string;
  readonly isAsked: boolean;
  readonly isRefused: boolean;
}

const SCENES: readonly Scene[] = [
  {
    shows: "allowed",
    call: read("{project}/src/cart.js"),
    isSeen: ({ result, isAsked }) => !isAsked && result.includes("export const total"),
  },
  {
    shows: "confined",
    call: bash("npm test"),
    isSeen: ({ result, isAsked }) => !isAsked && placeOfTests(result) === "sandbox",
  },
  {
    shows: "asked",
    call: bash("cp src/cart.js ~/notes/cart.js"),
    // Where a client has no way to ask, the refusal names the rule.
    isSeen: ({ isAsked, isRefused }, { home }) =>
      (isAsked || isRefused) && isAsked === existsSync(join(home, "notes/cart.js")),
  },
  {
    shows: "denied",
    call: bash("cat ~/.ssh/id_rsa"),
    isSeen: ({ result, isAsked, isRefused }) => isRefused && !isAsked && !result.includes("not a real key"),
  },
];

/** Records what a real client does with four calls. @throws if one of them did not go as it is called. */
export async function recordConversation(client: RealClient, program: string): Promise<RecordedConversation> {
  const mode = client.recorded ?? client.modes[0];
  const shop = await openRound({ client, program, mode, setup: "alone" });
  const run = (...args: readonly string[]) => recordCommand(args, shop);
  try {
    const before = [
      await run("init", ...(client.name === "claude-code" ? [] : [client.name]), "--yes"),
      await run("init", client.name, "--confine", "--yes"),
      await run("doctor"),
    ];
    const calls = await playScenes({ client, program, mode }, shop);
    const after = [await run("log")];
    const { version } = client.package;
    const date = new Date().toISOString().slice(0, "2026-01-01".length);
    return { client: client.name, version, mode, date, before, calls, after };
  } finally {
    shop.remove();
  }
}

async function recordCommand(args: readonly string[], shop: Shop): Promise<RecordedCommand> {
  const { stdout } = await mustRun([...OWN_COMMAND, ...args], { cwd: shop.project, env: shop.environment });
  return { line: ["toolkeep", ...args].join(" "), output: withoutPlaces(stdout.trimEnd(), shop) };
}

interface Player {
  readonly client: RealClient;
  readonly program: string;
  readonly mode: string;
}

async function playScenes({ client, program, mode }: Player, shop: Shop): Promise<readonly RecordedCall[]> {
  const texts = openTexts();
  const scenes = SCENES.map((scene) => ({ ...scene, call: placed(scene.call, shop) }));
  const calls = scenes.map(({ call }) => client.calls(call, texts));
  const model = await startModel({ calls: calls.flat(), aside: HARMLESS });
  const asked = new Map<number, string>();
  const decide = (words: string) => {
    asked.set(model.made() - 1, words);
    return true;
  };
  try {
    const written = await client.play({ program, shop, mode, model, decide });
    return scenes.map(({ shows, call, isSeen }, scene) => {
      const index = calls.slice(0, scene + 1).flat().length - 1;
      const result = model.result(index) ?? "";
      const question = asked.get(index);
      const isAsked = question !== undefined;
      if (!isSeen({ result, isAsked, isRefused: client.isRefused(result) }, shop))
        throw new Error(`${wordsOf(call)} was not ${shows}: ${question ?? ""} ${result} ${written}`);
      return {
        ...{ shows, call: withoutPlaces(wordsOf(call), shop) },
        ...(question === undefined ? {} : { question: withoutPlaces(questionIn(question), shop) }),
        result: withoutPlaces(result.trimEnd(), shop),
      };
    });
  } finally {
    await model.close();
  }
}

/** The reason in what a client sent, or all of it. */
function questionIn(words: string): string {
  const { decision_reason: reason } = JSON.parse(words) as { readonly decision_reason?: string };
  return reason ?? words;
}

/** Folders of this machine, ids and times are of no use to a reader. */
function withoutPlaces(text: string, { home }: Shop): string {
  return text
    .replaceAll(home, "~")
    .replaceAll(dirname(OWN_COMMAND[1]), "…")
    .replaceAll(/\bmnt:\[\d+\]/g, "mnt:[…]")
    .replaceAll(/\b(?:[\da-f]{8}-[\da-f]{4}-[\da-f-]{22}|[\da-f]{32})\b/g, "…")
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "…");
}
