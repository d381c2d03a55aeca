import { basename, dirname, join, resolve } from "node:path";
import type { Effect } from "@toolkeep/core";
import { isWithin, joinCommand } from "@toolkeep/core/internal";
import type { LineOnDisk, ProtectedPaths, SimpleCommand } from "@toolkeep/core/ports";
import { kindAt, textAt } from "../../../files/entries.ts";
import { foldersOf } from "../names/moved-folder.ts";
import { HOOK_FOLDER, LIFECYCLE, MANAGERS, OTHERS } from "./lifecycle-scripts.ts";
import { type OwnCode, ownCode } from "./own-code.ts";

/**
 * What a command is known to run of the project: the effect of the command again, with its scripts, and whether all that
 * it runs is the project's own.
 */
export async function scriptsOnDisk(
  { commands, folder = "/" }: LineOnDisk,
  { roots }: Pick<ProtectedPaths, "roots"> = { roots: [] },
): Promise<readonly Effect[]> {
  const folders = await foldersOf(commands, folder);
  const others = new Set<string>();
  const effects = commands.flatMap((command, index) => {
    const at = folders[index] ?? folder;
    const own = isClear(command) ? ownCode(command.argv, { folder: at, roots }) : undefined;
    if (own === undefined) others.add(joinCommand(command.argv));
    return scriptEffects(command, scriptsRunBy(command.argv, at, roots), own);
  });
  // The same words may mean another file after a `cd`.
  return effects.map(({ ownCode: own, ...effect }) =>
    own === true && !others.has(effect.target) ? { ...effect, ownCode: own } : effect,
  );
}

/** Whether a shell puts nothing but paths in the place of patterns. A package manager may run a path. */
function isClear({ argv, expands = [] }: SimpleCommand): boolean {
  const isManaged = MANAGERS.has(basename(argv[0] ?? ""));
  return expands.every((index) => !isManaged && /^[\w.][^*?[{]*\//.test(argv[index] ?? ""));
}

function scriptEffects(
  { argv }: SimpleCommand,
  scripts: readonly string[] | undefined,
  own: OwnCode | undefined,
): readonly Effect[] {
  const run = scripts ?? (own !== undefined && own.files.length > 0 ? own.files : undefined);
  if (run === undefined && own === undefined) return [];
  const texts = (own?.texts ?? []).flatMap((target): readonly Effect[] => [
    { capability: "fs.read", target, known: "inferred" },
    { capability: "fs.write", target, known: "inferred" },
  ]);
  const command: Effect = {
    ...{ capability: "shell.run", target: joinCommand(argv), known: "inferred", implied: true },
    ...(run === undefined ? {} : { scripts: run }),
    ...(own === undefined ? {} : { ownCode: true }),
  };
  return [command, ...texts];
}

/** The files, scripts and programs that a command runs of the project; `undefined` where that is not known. */
function scriptsRunBy(
  argv: readonly string[],
  folder: string,
  roots: readonly string[],
): readonly string[] | undefined {
  const [name = "", ...args] = argv;
  const program = basename(name);
  if (HOOK_FOLDER.test(name)) return scriptsOfHook(resolve(folder, name), roots);
  if (!MANAGERS.has(program)) return undefined;
  const names = scriptNames(program, args);
  const manifest = names === undefined ? undefined : manifestAbove(folder, roots);
  if (names === undefined || manifest === undefined) return undefined;
  return reached(
    manifest,
    names.flatMap((one) => [`pre${one}`, one, `post${one}`]),
    args,
  );
}

/** The names of scripts that are asked for; `undefined` for options before them, which may lead elsewhere. */
function scriptNames(program: string, args: readonly string[]): readonly string[] | undefined {
  const [first = "", second = ""] = args;
  if (/^(?:npx|pnpx|bunx)$/.test(program)) return /^[\w@]/.test(first) ? [] : undefined;
  if (
    args.some((arg) =>
      /^(?:-C|-w|-r|-F|--prefix|--cwd|--dir|--workspaces?|--filter|--recursive)(?:=|$)/.test(arg),
    )
  )
    return undefined;
  if (/^(?:run|run-script|rum|urn)$/.test(first)) return ofRun(args.slice(1));
  if (/^(?:exec|x)$/.test(first)) return /^[\w@]/.test(second) ? [] : undefined;
  if (Object.hasOwn(LIFECYCLE, first)) return LIFECYCLE[first];
  if (OTHERS.has(first) || /^(?:--version|-v)$/.test(first)) return [];
  return program === "npm" || !/^\w/.test(first) ? undefined : [first];
}

function ofRun(args: readonly string[]): readonly string[] | undefined {
  const name = args.find((arg) => arg !== "-s" && arg !== "--silent");
  if (name === undefined) return [];
  return name.startsWith("-") ? undefined : [name];
}

interface Manifest {
  readonly path: string;
  readonly scripts: Readonly<Record<string, string>>;
}

function manifestAbove(folder: string, roots: readonly string[]): Manifest | undefined {
  for (let at = folder; roots.some((root) => isWithin(at, root)); at = dirname(at)) {
    const path = join(at, "package.json");
    if (kindAt(path) !== undefined) return readManifest(path);
  }
  return undefined;
}

function readManifest(path: string): Manifest | undefined {
  try {
    const { scripts = {} } = JSON.parse(textAt(path) ?? "") as { scripts?: Record<string, unknown> };
    const texts = Object.entries(scripts).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    return { path, scripts: Object.fromEntries(texts) };
  } catch {
    return undefined;
  }
}

/**
 * The scripts, and all that their texts may name: a word that is the name of a script, a file, or a program. More
 * than is run may be among them, and nothing is missing that a script names in plain words.
 */
function reached(
  { path, scripts }: Manifest,
  names: readonly string[],
  args: readonly string[],
): readonly string[] {
  const found = new Set<string>();
  const open = [...names];
  const mention = (texts: readonly string[]) => {
    for (const word of texts.flatMap((text) => text.split(BETWEEN))) {
      if (word === "") continue;
      found.add(basename(word));
      if (kindAt(resolve(dirname(path), word)) === "file") found.add(resolve(dirname(path), word));
      open.push(
        ...Object.keys(scripts).filter((name) => isNamed(name, word) && !found.has(`${path}#${name}`)),
      );
    }
  };
  mention(args);
  for (const name of open) {
    // Also one that does not exist any more: that it is gone is a change.
    if (found.has(`${path}#${name}`)) continue;
    found.add(`${path}#${name}`);
    mention([scripts[name] ?? ""]);
    if (found.size > MOST_REACHED) return [...found].slice(0, MOST_REACHED);
  }
  return [...found];
}

const MOST_REACHED = 400;
const BETWEEN = /[\s;&|()"'`<>=,]+/;

/** `run-s lint:*` and `npm:lint` name scripts, too. */
function isNamed(name: string, word: string): boolean {
  const plain = word.replace(/^npm:/, "");
  if (plain === name) return true;
  return plain.includes("*") && name.startsWith(plain.slice(0, plain.indexOf("*")));
}

/** A hook runs itself, and what its text names; one that hands on to a manager of hooks may run anything. */
export function scriptsOfHook(path: string, roots: readonly string[]): readonly string[] | undefined {
  const text = textAt(path);
  if (
    text === undefined ||
    /\b(?:lint-staged|lefthook|pre-commit run|husky|overcommit|simple-git-hooks)\b/.test(text)
  )
    return undefined;
  const root = roots.find((one) => isWithin(path, one));
  const manifest = root === undefined ? undefined : manifestAbove(root, roots);
  if (manifest === undefined) return undefined;
  const names = /\bnpm (?:t|test|start)\b/.test(text) ? ["pretest", "test", "posttest", "start"] : [];
  return [path, ...reached(manifest, names, [text])];
}
