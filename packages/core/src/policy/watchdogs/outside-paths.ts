import { PROGRAM_KINDS, wordsIn } from "@toolkeep/catalog/internal";
import { opensFiles } from "../../commands/meaning/command-args.ts";
import { isWithoutSecrets, placesIn, placesInLine } from "../../commands/meaning/command-class.ts";
import { splitCommand } from "../../contract/call/effect.ts";
import type { PolicyCall } from "../../contract/policy/policy-call.ts";
import { isWithin } from "../../contract/values/path-within.ts";
import { PUBLIC_PLACES } from "../../file-names/public-places.ts";

/**
 * Whether a path lies outside of all roots, as far as its words tell. Where no root is known, nothing
 * does. A path that is not absolute lies outside when it climbs out of where it starts.
 */
export function isOutside(path: string, roots: readonly string[]): boolean {
  if (roots.length === 0) return false;
  if (!isAbsolute(path)) return OF_HOME.test(path) || climbsOut(path);
  const clean = withoutDots(path);
  return ![...roots, ...PUBLIC_PLACES].some((place) => isWithin(clean, place));
}

/**
 * The first place outside of the roots that a command of the call runs in, or that it names from where it runs. Commands
 * are followed from folder to folder; of a line that is not plain, the rest of its text counts too.
 */
export function outsideOf(call: PolicyCall, roots: readonly string[]): string | undefined {
  const said = call.effects.filter(({ withoutSecrets }) => withoutSecrets !== true);
  const lines = said.filter(({ capability }) => capability === "shell.dynamic");
  const commands = said
    .filter(({ capability }) => capability === "shell.run")
    .map((effect) => ({ effect, argv: splitCommand(effect.target) }));
  if (roots.length === 0 || lines.length + commands.length === 0) return undefined;
  const mayStay = lines.some(({ target }) => MAY_STAY.test(target));
  let at: Where = { now: roots.slice(0, 1), before: [] };
  const leadsOut = (path: string) => at.now.some((folder) => isOutside(joined(folder, path), roots));
  for (const { effect, argv } of commands) {
    const next = whereAfter(argv, at, mayStay);
    at = next ?? at;
    if (next !== undefined || !opensFiles(argv)) continue;
    const named = isWithoutSecrets(effect, call) ? undefined : placesIn(argv).find(leadsOut);
    const outside = named ?? at.now.find((folder) => isOutside(folder, roots));
    if (outside !== undefined) return outside;
  }
  at = { ...at, now: [...at.before, ...at.now] };
  const argvs = commands.map(({ argv }) => argv);
  return lines
    .filter((effect) => !isWithoutSecrets(effect, call))
    .flatMap(({ target }) => placesInLine(target, argvs))
    .find(leadsOut);
}

/** The folders that a command may run in, and those that the ones before it may have run in. */
interface Where {
  readonly now: readonly string[];
  readonly before: readonly string[];
}

/** In such a line what follows a `cd` may run where that one did not go: it failed, or moved for itself alone. */
const MAY_STAY = /[;\n()`]|\|\||(?<![&>])&(?![&>\d])|\bcd\s[^&|;]*\|/;
const MOVING = wordsIn(PROGRAM_KINDS.moving);

/** What a shell replaces by a home: not a format such as `~s~n`. */
const OF_HOME = /^~[\w.+-]*(?:\/|$)/;

/** For a command that moves. A line that runs in another folder begins by going there. */
function whereAfter(argv: readonly string[], { now, before }: Where, mayStay: boolean): Where | undefined {
  const [program = "", ...words] = argv;
  if (!MOVING.has(program)) return undefined;
  const to = words.findLast((word) => !/^-./.test(word)) ?? (program === "cd" ? "~" : "-");
  if (before.length === 0 && to.startsWith("/")) return { now: [to], before: [to] };
  const left = [...new Set([...before, ...now])];
  const moved = to === "-" ? left : now.map((folder) => joined(folder, to));
  return { now: mayStay ? [...new Set([...moved, ...left])] : moved, before: left };
}

function joined(folder: string, path: string): string {
  if (isAbsolute(path) || OF_HOME.test(path)) return path;
  return OF_HOME.test(folder) ? folder : withoutDots(`${folder}/${path}/`);
}

function isAbsolute(path: string): boolean {
  return path.startsWith("/") || /^(?:\\|[A-Za-z]:[/\\])/.test(path);
}

function climbsOut(path: string): boolean {
  let depth = 0;
  for (const segment of path.split(/[/\\]/)) {
    if (segment === "..") depth -= 1;
    else if (segment !== "" && segment !== ".") depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

function withoutDots(path: string): string {
  if (!path.includes("..") && !path.includes("/./")) return path;
  const kept: string[] = [];
  for (const segment of path.split(/[/\\]/)) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  return `/${kept.join("/")}`;
}
