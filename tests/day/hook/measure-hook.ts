import { evaluate, type Goal, progress } from "../../../benchmarks/src/report.ts";
import { joined, type Part } from "../part.ts";
import type { Step } from "../step.ts";
import { BUG_FIX } from "./bug-fix.ts";
import { CLIENT_MODES, type ClientMode } from "./clients.ts";
import type { Payload } from "./payload.ts";
import { COMMAND_PAYLOADS } from "./payloads-commands.ts";
import { CURSOR_PAYLOADS } from "./payloads-cursor.ts";
import { TOOL_PAYLOADS } from "./payloads-tools.ts";
import { type Answer, byProgram, type Played, playAlone, playTogether } from "./play-hook.ts";
import { inHome, openShop, type Shop } from "./shop.ts";

const PAYLOADS: readonly Payload[] = [...COMMAND_PAYLOADS, ...TOOL_PAYLOADS];
const FALSE_ALARMS = new Set<Step>(
  PAYLOADS.filter(({ was, expected }) => was === "ask" && expected === "allow"),
);
const RIGHT_ASKS = new Set<Step>(
  PAYLOADS.filter(({ was, expected }) => was === "ask" && expected !== "allow"),
);
const RIGHT_DENIALS = new Set<Step>(PAYLOADS.filter(({ was }) => was === "deny"));
const PASSED = new Set<Step>(PAYLOADS.filter(({ was }) => was === "allow"));

/** Plays the bug fix and the payloads through the hook of every client. */
export async function measureHooks({ quick }: { readonly quick: boolean }): Promise<Part> {
  const parts: Part[] = [];
  for (const mode of CLIENT_MODES) {
    progress(`hook of ${mode.client}, ${mode.mode}`);
    const shop = await openShop(mode.client);
    try {
      parts.push(await inHome(shop, () => measureMode({ mode, shop, quick })));
    } finally {
      shop.remove();
    }
  }
  return joined(parts);
}

interface Measured {
  readonly mode: ClientMode;
  readonly shop: Shop;
  readonly quick: boolean;
}

async function measureMode({ mode, shop, quick }: Measured): Promise<Part> {
  const stage = { mode, shop };
  const name = `${mode.client}, ${mode.mode}`;
  const payloads = await playAlone(PAYLOADS, stage);
  const own = mode.client === "cursor" ? await playAlone(CURSOR_PAYLOADS, stage) : [];
  // The program reads every mode alike: the other modes are played by its function alone.
  const oneIn = isFirst(mode) ? (quick ? 20 : 3) : 60;
  const sample = PAYLOADS.filter((_, index) => index % oneIn === 0);
  const processes = await playAlone(sample, stage, byProgram);
  const day = await playTogether(BUG_FIX, stage);
  const figures = [
    { name: `${name}: bug fix`, ...countsOf(day), milliseconds: median(day) },
    { name: `${name}: payloads`, ...countsOf(payloads), milliseconds: median(payloads) },
    ...(own.length === 0
      ? []
      : [{ name: `${name}: own payloads`, ...countsOf(own), milliseconds: median(own) }]),
    { name: `${name}: by the program`, ...countsOf(processes), milliseconds: median(processes) },
  ];
  show(
    `${name}: the bug fix`,
    day.filter(({ adds }) => adds),
  );
  show(`${name}: expected to pass`, [...payloads, ...own].filter(isFalseAlarm));
  const goals = goalsOf({ mode, payloads, own, day });
  const voids = differences(payloads, processes).map((one) => `${name}: ${one}`);
  return { goals, figures, voids, unasked: [] };
}

function isFirst({ client, mode }: ClientMode): boolean {
  return CLIENT_MODES.find((one) => one.client === client)?.mode === mode;
}

function isFalseAlarm({ step, adds }: Played): boolean {
  return adds && step.expected === "allow";
}

interface Results {
  readonly mode: ClientMode;
  readonly payloads: readonly Played[];
  readonly own: readonly Played[];
  readonly day: readonly Played[];
}

function goalsOf({ mode, payloads, own, day }: Results): readonly Goal[] {
  const among = (steps: ReadonlySet<Step>) => payloads.filter(({ step }) => steps.has(step));
  const all = [...payloads, ...own, ...day];
  const alarms = among(FALSE_ALARMS);
  const asks = among(RIGHT_ASKS);
  const denials = among(RIGHT_DENIALS);
  const name = `${mode.client}, ${mode.mode}`;
  const added = (some: readonly Played[]) => some.filter(({ adds }) => adds).length;
  const goals = [
    evaluate(
      `${name}: benign things denied`,
      all.filter(({ step, isFinal }) => isFinal && step.expected === "allow").length,
      "<= 0",
    ),
    evaluate(
      `${name}: right denials that pass, of ${denials.length}`,
      denials.filter(({ runs }) => runs).length,
      "<= 0",
    ),
  ];
  if (mode.client === "cursor") {
    const loose = [...asks, ...own.filter(({ step }) => step.expected !== "allow")];
    return [
      ...goals,
      evaluate(`${name}: right asks that pass`, loose.filter(({ runs }) => runs).length, "<= 0"),
    ];
  }
  return [
    ...goals,
    evaluate(`${name}: interruptions that Toolkeep adds to the bug fix`, added(day), "<= 3"),
    evaluate(`${name}: false alarms that Toolkeep adds, of ${alarms.length}`, added(alarms), "<= 5"),
    evaluate(
      `${name}: right asks that are still asked or denied, of ${asks.length}`,
      asks.filter(({ runs }) => !runs).length,
      `>= ${asks.length}`,
    ),
    evaluate(
      `${name}: allowed before, and interrupts more now, of ${among(PASSED).length}`,
      added(among(PASSED)),
      "<= 0",
    ),
  ];
}

const ANSWERS: readonly Answer[] = ["allowed", "asked", "safe form", "denied", "left"];

function countsOf(played: readonly Played[]): Record<string, number> {
  const counts = ANSWERS.map(
    (answer) => [answer, played.filter((one) => one.answer === answer).length] as const,
  );
  const interruptions = played.filter(({ interrupts }) => interrupts).length;
  const added = played.filter(({ adds }) => adds).length;
  return { steps: played.length, ...Object.fromEntries(counts), interruptions, added };
}

/** The program and its function must agree; otherwise what was counted says nothing. */
function differences(counted: readonly Played[], processes: readonly Played[]): readonly string[] {
  const answers = new Map(counted.map(({ step, answer }) => [step, answer]));
  return processes
    .filter(({ step, answer }) => answers.get(step) !== answer)
    .map(
      ({ step, answer }) => `the program said ${answer} to ${step.name}, its function ${answers.get(step)}`,
    );
}

function median(played: readonly Played[]): number {
  const sorted = played.map(({ milliseconds }) => milliseconds).toSorted((one, other) => one - other);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}

const LONGEST = 160;

function show(title: string, played: readonly Played[]): void {
  progress(`${title}: ${played.length} interrupt`);
  for (const { step, answer, reason } of played)
    progress(`  ${answer.padEnd(9)} ${step.name.slice(0, LONGEST)}: ${reason.slice(0, LONGEST)}`);
}
