const VALUE = /^[\w.,:*@+-]*$/;
const NUMBER = /^\d*$/;

/** Variables that change how much is said and in which language, and neither what is run nor where from. */
const VARIABLES: ReadonlyMap<string, RegExp> = new Map([
  ...(
    "CI FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE NODE_ENV BABEL_ENV RAILS_ENV DEBUG VERBOSE LANG LC_ALL TZ TERM " +
    "RUST_BACKTRACE GOOS GOARCH LOG_LEVEL RUST_LOG PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE NEXT_TELEMETRY_DISABLED DO_NOT_TRACK"
  )
    .split(" ")
    .map((name) => [name, VALUE] as const),
  ...["PORT", "CGO_ENABLED", "COLUMNS", "LINES", "GIT_TERMINAL_PROMPT"].map(
    (name) => [name, NUMBER] as const,
  ),
  ...["PAGER", "GIT_PAGER"].map((name) => [name, /^(?:cat)?$/] as const),
  ...["EDITOR", "GIT_EDITOR"].map((name) => [name, /^(?:true|:)$/] as const),
]);

/** `NAME=value` before a command that is known to change nothing of what it does to files and machines. */
export function isHarmlessAssignment(text: string): boolean {
  const equals = text.indexOf("=");
  return VARIABLES.get(text.slice(0, equals))?.test(text.slice(equals + 1)) === true;
}
