import { type Capability, capabilityNamed, readCommand } from "@toolkeep/catalog";
import { expression, PROGRAM_KINDS, DANGER_ROWS as table, wordsIn } from "@toolkeep/catalog/internal";
import { formsOf } from "../commands/forms/command-forms.ts";
import { programOf } from "../commands/meaning/command-args.ts";
import { asksThisMachine } from "../commands/meaning/local-requests.ts";
import { type CommandMeaning, type Effect, splitCommand, unknownFile } from "../contract/call/effect.ts";
import type { PolicyContext } from "../contract/policy/decision.ts";
import type { PolicyCall } from "../contract/policy/policy-call.ts";
import { remembered } from "../file-names/remembered.ts";
import { isOutside } from "./watchdogs/outside-paths.ts";

/**
 * What a person should know first of a call that asks; `undefined` where nothing in particular is known. Of several
 * effects that no rule allows, the command counts most, then what lies outside of the workspace.
 */
export function dangerOf(
  { effects }: PolicyCall,
  open: () => readonly Effect[],
  context: PolicyContext,
): string | undefined {
  if (effects.length === 0) return "The tool does not say what it does.";
  let worst = NONE;
  let downloads = false;
  let isFed = false;
  for (const effect of effects) {
    if (effect.implied === true) continue;
    const danger = dangerOfEffect(effect, context);
    downloads ||= danger.downloads === true;
    isFed ||= danger.isFed === true;
    if (danger.says === undefined || danger.rank >= worst.rank) continue;
    if (effects.length === 1 || open().includes(effect)) worst = danger;
  }
  return downloads && isFed ? DOWNLOADS_AND_RUNS : worst.says;
}

function dangerOfEffect(effect: Effect, context: PolicyContext): Danger {
  const { capability, target, note, meaning } = effect;
  if (unknownFile(effect) !== undefined) return NONE;
  switch (capability) {
    case "shell.run": {
      const danger = dangerOfCommand(target);
      const known = meaning ?? readCommand(splitCommand(target));
      if (known === undefined) return danger;
      const isQuestion = known.does.includes("db.reach") && known.does.every(isRead);
      if (isQuestion && context.taint.has("private")) return dangerOfRequest(context);
      return { ...danger, ...meantBy(known, danger) };
    }
    case "fs.read":
      return isOutside(target, context.roots) ? READS_OUTSIDE : NONE;
    case "fs.write":
      return isOutside(target, context.roots) ? WRITES_OUTSIDE : NONE;
    case "fs.delete":
      if (isOutside(target, context.roots)) return DELETES_OUTSIDE;
      return note === undefined ? DELETES : { rank: DELETES.rank, says: note };
    case "package.install":
    case "package.run":
      return note === undefined ? NONE : { rank: PACKAGE_RANK, says: note };
    case "net.fetch":
    case "net.search":
      return context.taint.has("private") ? dangerOfRequest(context) : NONE;
    default:
      return { ...NONE, ...meantBy({ does: [capability], isWhole: true }, NONE) };
  }
}

/** Commands that run code of the project. A program that knows whether the project is trusted says more. */
export const RUNS_OWN_CODE = table.ownCode;

/** With nothing but this, no program does anything else. */
const ABOUT_ITSELF = expression(table.aboutItself);

/** Programs, what follows them, and what to say where the catalogue says less. The first row that matches counts. */
const DANGER_ROWS = table.rows.map(({ words, says = RUNS_OWN_CODE, ...row }) => ({
  ...row,
  begins: expression(words),
  says,
}));

const KINDS = ["destroy", "secret", "change"] as const;

function isRead(name: string): boolean {
  return capabilityNamed(name)?.kind === "read";
}

/** The worst that a command does, in a sentence of the catalogue. What only looks at this machine is no danger. */
function meantBy(
  { does, feared = [], isWhole }: Pick<CommandMeaning, "does" | "feared" | "isWhole">,
  danger: Danger,
): Pick<Danger, "says" | "rank"> {
  const known = does.map(capabilityNamed);
  const fears = feared.map(capabilityNamed);
  const [ownCode, unnamedFiles] = [capabilityNamed("project.run"), capabilityNamed("local.change")];
  const row =
    danger.says === RUNS_OWN_CODE && !isWhole && does.includes("code.run") ? undefined : danger.says;
  for (const [index, kind] of KINDS.entries()) {
    const ofKind = known.filter((one) => one?.kind === kind);
    // What else it does says more, and what is known says more than what is feared.
    const isSure = (one: Capability | undefined) => !fears.includes(one);
    const said = ofKind.find((one) => one !== ownCode && isSure(one)) ?? ofKind.find(isSure);
    const says = said?.says ?? atWorst((ofKind.find((one) => one !== ownCode) ?? ofKind[0])?.says);
    const isVague = ofKind.every((one) => one === ownCode || one === unnamedFiles);
    const rank = index - KINDS.length + (isVague ? 0.5 : 0);
    if (says !== undefined) return { says: row ?? says, rank: Math.min(danger.rank, rank) };
  }
  return isWhole && known.every((one) => one?.stays === true) ? NONE : danger;
}

function atWorst(says: string | undefined): string | undefined {
  return says?.replace(/^It (?:may )?/, "It has words that Toolkeep does not know: perhaps it ");
}

/** What passed before asks once something private was read: the person should know what it was. */
function dangerOfRequest({ taintedBy }: PolicyContext): Danger {
  const what = taintedBy?.get("private") ?? "this session has looked into some";
  return { rank: REQUEST_RANK, says: `It could send private data away: ${what}.` };
}

const ASKS_HERE = "It sends a request to a program on this machine.";
const DOWNLOADS_AND_RUNS = "It downloads a script and runs it.";

interface Danger {
  readonly says?: string;
  /** Of several dangers, the one with the lowest rank is said. */
  readonly rank: number;
  readonly downloads?: boolean;
  /** An interpreter that runs what it is fed. */
  readonly isFed?: boolean;
}

const NONE: Danger = { rank: Number.POSITIVE_INFINITY };
const DELETES_OUTSIDE: Danger = {
  rank: DANGER_ROWS.length,
  says: "It deletes something outside of the workspace.",
};
const WRITES_OUTSIDE: Danger = { rank: DANGER_ROWS.length + 1, says: "It writes outside of the workspace." };
const READS_OUTSIDE: Danger = { rank: DANGER_ROWS.length + 2, says: "It reads outside of the workspace." };
const DELETES: Danger = { rank: DANGER_ROWS.length + 3, says: "It deletes files." };
const PACKAGE_RANK = DANGER_ROWS.length + 4;
const REQUEST_RANK = DANGER_ROWS.length + 5;

const dangerOfCommand = remembered<Danger>((target) => {
  const argv = splitCommand(target);
  const program = programOf(argv);
  const downloads = program === "curl" || program === "wget";
  const isFed = INTERPRETERS.has(program) && argv.slice(1).every((word) => /^-(?!.*[ce])/.test(word));
  for (const form of formsOf(argv)) {
    const words = form.slice(1).join(" ");
    if (ABOUT_ITSELF.test(words)) continue;
    const rank = DANGER_ROWS.findIndex(
      ({ programs, begins }) => names(programs, programOf(form)) && begins.test(words),
    );
    const says = asksThisMachine(form) ? ASKS_HERE : DANGER_ROWS[rank]?.says;
    if (says !== undefined) return { says, rank, downloads, isFed };
  }
  return { ...NONE, downloads, isFed };
});

const INTERPRETERS = wordsIn(PROGRAM_KINDS.fedInterpreters);

function names(programs: string, program: string): boolean {
  return programs.split(" ").includes(program);
}
