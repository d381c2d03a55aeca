import { listIn, VARIABLE_NAMES } from "@toolkeep/catalog/internal";
import { ToolFailure } from "@toolkeep/core";
import { quotedWord } from "@toolkeep/core/internal";
import { CERTIFICATE_VARIABLES } from "../../environment/certificate-files.ts";
import { MANAGER_VARIABLES } from "../../environment/program-folders.ts";

/** How a command gets its environment without anybody else seeing the values. */
export interface EnvironmentPlan {
  /** The arguments for `bwrap`. */
  readonly args: readonly string[];
  /** The whole environment of the process that builds the sandbox. */
  readonly builder: Readonly<Record<string, string>>;
  /** What a shell in the sandbox does before it starts the command; usually nothing. */
  readonly script: string;
}

/** Names whose values are not secret: every user of the machine can read the arguments of a process. */
const OPEN_NAMES: ReadonlySet<string> = new Set([
  ...listIn(VARIABLE_NAMES.open),
  ...MANAGER_VARIABLES,
  ...CERTIFICATE_VARIABLES,
]);

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Under a name that no loader and no library uses: the process that builds the sandbox is outside of it. */
const CARRIER = "TOOLKEEP_PRIVATE";
const LONGEST = 120_000;

/**
 * Names that are not secret are given as arguments. The others are carried in one variable, past the process that
 * builds the sandbox, and set by a shell inside.
 * So is the last word of a command in a place: its own shell has it among its arguments, as everywhere, and no other process.
 * @throws ToolFailure `unavailable` for a name no shell could set, or for more than one variable can carry.
 */
export function environmentPlan(
  environment: Readonly<Record<string, string>>,
  lastWord?: string,
): EnvironmentPlan {
  const entries = Object.entries(environment);
  for (const [name, value] of entries) checkedName(name, value);
  const open = entries.filter(([name]) => OPEN_NAMES.has(name));
  const args = open.flatMap(([name, value]) => ["--setenv", name, value]);
  const hidden = entries.filter(([name]) => !OPEN_NAMES.has(name));
  if (hidden.length === 0 && lastWord === undefined)
    return { args: ["--clearenv", ...args], builder: {}, script: "" };
  return { args, ...carriedEnvironment(Object.fromEntries(hidden), lastWord) };
}

/** An environment in one variable, and what sets it again. @throws ToolFailure `unavailable` if it is too large. */
export function carriedEnvironment(
  environment: Readonly<Record<string, string>>,
  lastWord?: string,
): Pick<EnvironmentPlan, "builder" | "script"> {
  const carried = Object.entries(environment).map(
    ([name, value]) => `export ${checkedName(name, value)}=${quotedWord(value)}`,
  );
  if (lastWord !== undefined) carried.push(`set -- "$@" ${quotedWord(lastWord)}`);
  const text = carried.join("\n");
  if (Buffer.byteLength(text) > LONGEST) throw tooLong();
  return { builder: { [CARRIER]: text }, script: SET };
}

const SET = `toolkeep=$${CARRIER}; unset ${CARRIER}; eval "$toolkeep"; unset toolkeep
`;

function checkedName(name: string, value: string): string {
  if (!NAME.test(name) || value.includes("\0") || name === CARRIER) throw unusable(name);
  return name;
}

function unusable(name: string): ToolFailure {
  return new ToolFailure("unavailable", `The environment name ${JSON.stringify(name)} cannot be used.`, {
    hint: "Names are letters, digits and underscores; values have no zero bytes.",
  });
}

function tooLong(): ToolFailure {
  return new ToolFailure("unavailable", "The environment of the command is too long.", {
    hint: "Hand long values over in a file.",
  });
}
