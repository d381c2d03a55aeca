/** Commands that run code of the project. A program that knows whether the project is trusted says more. */
export const RUNS_OWN_CODE = "It runs the project's own code.";

const CODE_IN_LINE = "It runs code that is given on the command line.";
const STATEMENTS = "It runs statements on a database.";
const ACCOUNT = "It uses your account at a cloud provider.";
const SERVICES = "It starts or stops services of this machine.";
const ENVIRONMENT = "It shows environment variables, which may hold secrets.";
const REQUEST = "It sends a request to another machine.";

/** With nothing but this, no program does anything else. */
export const ABOUT_ITSELF = /^(?:--version|-v|-V|version|--help|-h|help)$/;

/**
 * Programs, what the words after them begin with, and what to say where that is more than the catalogue says. The first
 * row that matches counts.
 */
export const DANGER_ROWS: readonly (readonly [programs: string, words: RegExp, says: string])[] = [
  ["docker podman", /^compose .*\bdown\b/, "It deletes containers and networks."],
  ["printenv export set env declare", /^(?:-\S+ ?)*$/, ENVIRONMENT],
  ["ssh scp sftp", /(?:Proxy|Local)Command/i, "It runs a program that one of its options names."],
  ["scp sftp rsync", /./, "It copies files from or to another machine."],
  ["systemctl service launchctl", /./, SERVICES],
  ["crontab at", /./, "It runs commands later, by itself."],
  ["psql mysql mariadb mongosh mongo redis-cli sqlite3 duckdb clickhouse-client", /./, STATEMENTS],
  ["aws gcloud az doctl flyctl fly heroku vercel netlify wrangler", /./, ACCOUNT],
  ["gh glab", /^api\b/, REQUEST],
  [
    "python python3 node bun deno ruby perl php",
    /^(?:(?:-\S+ ){0,8}-[a-zA-Z]*[cerp]\b|--eval\b|--print\b|-$|eval\b)/,
    CODE_IN_LINE,
  ],
  [
    "uv poetry pdm hatch pipenv bundle",
    /^(?:run|exec) (?:\S+ ){0,8}?(?:python3?|node|ruby|perl|php) (?:(?:-\S+ ){0,8}-[a-zA-Z]*[cerp]\b|-$)/,
    CODE_IN_LINE,
  ],
  ["sh bash zsh dash fish", /^-[a-z]*c\b/, CODE_IN_LINE],
  ["deno", /^(?:run|serve|test|bench) (?:\S+ )*https?:\/\//, "It downloads a script and runs it."],
  [
    "make gmake just task mvn mvnw gradle gradlew rake",
    /(?:^| )(?:-C|-f|-p|--(?:directory|file|makefile|justfile|rakefile|project-dir))[ =]?(?:[/~]|\.\.)/,
    "It runs code from the folder or the file that it names.",
  ],
  ["npm pnpm yarn bun", /^(?:test|t|run|run-script|start|build|lint|dev)\b/, RUNS_OWN_CODE],
  [
    "pytest tox nox make gmake just task mvn gradle mvnw gradlew rake rspec ctest phpunit jest vitest",
    /^/,
    RUNS_OWN_CODE,
  ],
  ["cargo dotnet swift mix deno", /^(?:test|build|check|clippy|run|bench)\b/, RUNS_OWN_CODE],
  ["go", /^run (?:-\S+ )*[^ ]+@/, "It downloads a program and runs it."],
  ["go", /^(?:test|run|generate)\b/, RUNS_OWN_CODE],
  ["uv poetry pdm hatch bundle", /^(?:run|exec)\b/, RUNS_OWN_CODE],
  ["pre-commit commit-msg pre-push post-commit post-checkout post-merge", /^/, RUNS_OWN_CODE],
  ["python python3 node deno ruby perl php sh bash zsh tsx ts-node", /^(?!-[nm]\b)./, "It runs a script."],
  [
    "git",
    /^(?:pull|merge|rebase|cherry-pick|revert|am|apply)\b/,
    "It changes files to what other commits contain.",
  ],
  ["git", /^(?:clone|submodule)\b/, "It brings in a repository."],
  ["git", /^(?:checkout|restore|rm)\b/, "It may discard changes that are not committed."],
  ["git", /^(?:fetch|remote update)\b/, "It downloads commits from a remote; files stay as they are."],
  ["git", /^(?:config(?! --get)|remote)\b/, "It changes settings of the repository."],
  ["git", /^(?:branch|tag|update-ref|worktree)\b/, "It changes branches or tags."],
  ["curl wget http https xh", /./, REQUEST],
];
