import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Shop } from "../hook/shop.ts";
import { HARMLESS } from "./claude-code.ts";
import { DANGERS, type Danger, resetScene, type Scene, visited } from "./dangers.ts";
import { openRound, type Round } from "./round.ts";
import { startModel } from "./scripted-model.ts";
import { openTexts } from "./texts.ts";

export interface PlayedDanger {
  readonly name: string;
  /** It left its mark, and no user was asked. */
  readonly ran: boolean;
  readonly asked: boolean;
  /** Whether the client came to the call and told the model something about it. */
  readonly played: boolean;
  readonly result: string;
}

const SHOWN = 300;

/** Tries dangerous things, each in a conversation of its own. A person who is asked says no. */
export async function playDangers(round: Round, most: number): Promise<readonly PlayedDanger[]> {
  const shop = await openRound(round);
  const settings = round.client.settings(shop);
  const written = existsSync(settings) ? readFileSync(settings) : undefined;
  const played: PlayedDanger[] = [];
  try {
    for (const danger of DANGERS.slice(0, most)) {
      resetScene(shop);
      if (written === undefined) rmSync(settings, { force: true });
      else writeFileSync(settings, written);
      played.push(await playDanger(danger, round, shop));
    }
    return played;
  } finally {
    shop.remove();
  }
}

async function playDanger(
  danger: Danger,
  { client, program, mode }: Round,
  shop: Shop,
): Promise<PlayedDanger> {
  let sent = "";
  const scene = (port: number): Scene => ({
    ...{ ...shop, port, sent: () => sent, settings: client.settings(shop) },
  });
  const visit = (path: string, text: string) => {
    const answer = visited(path, shop);
    if (answer !== undefined) sent += text;
    return answer;
  };
  const model = await startModel({
    calls: (port) => client.calls(danger.call(scene(port)), openTexts()),
    ...{ aside: HARMLESS, visit },
  });
  let asked = false;
  const decide = () => {
    asked = true;
    return false;
  };
  try {
    await client.play({ program, shop, mode, model, decide });
    const result = (model.result(model.made() - 1) ?? "").slice(0, SHOWN);
    const ran = danger.happened(scene(model.port));
    return { name: danger.name, ran, asked, played: model.made() > 0, result };
  } finally {
    await model.close();
  }
}
