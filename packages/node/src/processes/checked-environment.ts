import { ToolFailure } from "@toolkeep/core";
import { envRead } from "@toolkeep/core/internal";
import type { Grant } from "@toolkeep/core/ports";

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const LONGEST_VALUE = 64 * 1_024;
const MOST_NAMES = 128;

/**
 * Every program has names of its own that make it load, run or believe something else than what was judged,
 * and nobody can list them all. So those count that are known to do no such thing.
 */
const HARMLESS: ReadonlySet<string> = new Set(
  [
    "CI CLICOLOR CLICOLOR_FORCE COLORTERM COLUMNS DEBIAN_FRONTEND DEBUG DO_NOT_TRACK FORCE_COLOR LANG LANGUAGE",
    "LINES LOG_LEVEL NO_COLOR QUIET RUST_BACKTRACE RUST_LOG SOURCE_DATE_EPOCH TERM TZ VERBOSE",
    "APP_ENV DJANGO_ENV FLASK_ENV NODE_ENV RACK_ENV RAILS_ENV PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED",
    "CGO_ENABLED GOARCH GOOS GIT_TERMINAL_PROMPT",
  ].flatMap((names) => names.split(" ")),
);

/** By their shape: words for a person's language, who made a commit, and values that are only shown to some server. */
const HARMLESS_SHAPES: readonly RegExp[] = [
  /^LC_[A-Z]+$/,
  /^GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$/,
  // Some programs take whatever begins with their name for a setting.
  /^(?!(?:GIT|NPM|PNPM|YARN|PIP|UV|CARGO|BUNDLE|GEM|LD|DYLD|BASH|SSH|SUDO|DOCKER)_)(?:[A-Z][A-Z0-9]*_)*(?:TOKEN|API_KEY|ACCESS_KEY|ACCESS_KEY_ID|SECRET|SECRET_KEY|PASSWORD|REGION)$/,
];

/**
 * What a tool adds to the environment of its command, name by name.
 * @throws ToolFailure `out_of_scope` for a name that is not declared, or that no tool may set.
 */
export function checkedEnvironment(
  given: Readonly<Record<string, string>>,
  grant: Grant,
): Readonly<Record<string, string>> {
  const entries = Object.entries(given);
  if (entries.length > MOST_NAMES)
    throw new ToolFailure("too_large", `A command may be given ${MOST_NAMES} environment values at most.`);
  for (const [name, value] of entries) {
    if (!NAME.test(name))
      throw new ToolFailure("out_of_scope", `${JSON.stringify(name)} is no name of an environment value.`);
    if (!isHarmless(name))
      throw new ToolFailure(
        "out_of_scope",
        `${name} might change what the command runs or obeys, so no tool may set it.`,
        { hint: "Hand the value on as an argument or as input." },
      );
    if (typeof value !== "string" || value.includes("\0"))
      throw new ToolFailure("out_of_scope", `The environment value ${name} is not text.`);
    if (value.length > LONGEST_VALUE)
      throw new ToolFailure(
        "too_large",
        `The environment value ${name} is longer than ${LONGEST_VALUE} characters.`,
      );
    grant.check(envRead(name));
  }
  return Object.fromEntries(entries);
}

function isHarmless(name: string): boolean {
  return HARMLESS.has(name) || HARMLESS_SHAPES.some((shape) => shape.test(name));
}
