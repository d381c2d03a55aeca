/** Commands that run code of the project. A program that knows whether the project is trusted says more. */
export const RUNS_OWN_CODE = "It runs the project's own code.";

const CODE_IN_LINE = "It runs code that is given on the command line.";
const INSTALLS = "It installs packages, whose install scripts may run.";
const CHANGES_CLUSTER = "It changes a cluster.";
const CHANGES_INFRASTRUCTURE = "It changes infrastructure.";
const OTHER_MACHINE = "It runs commands on another machine.";
const STATEMENTS = "It runs statements on a database.";
const ACCOUNT = "It uses your account at a cloud provider.";
const SERVICES = "It starts or stops services of this machine.";
const ENVIRONMENT = "It shows environment variables, which may hold secrets.";
const PROCESSES = "It ends processes.";
const CONTAINER = "It starts containers, which may reach files of this machine.";
const REQUEST = "It sends a request to another machine.";

/** Programs, and words after them with which they only look, whatever the rows below say. */
export const LOOKING_FORMS: readonly (readonly [programs: string, words: RegExp])[] = [
  ["kubectl oc", /(?:^| )--dry-run(?:=client|=server)?(?: |$)/],
  ["crontab at", /^-l$/],
  ["sh bash zsh dash ksh", /^-n /],
  ["ruby", /^-w?c /],
  ["php", /^(?:-l |-[im]$|--ini$)/],
  ["node", /^(?:-c|--check) /],
  ["git", /^branch(?: -[avr]+| --(?:show-current|list|all|remotes|merged|no-merged|contains)\b.*)?$/],
  ["git", /^(?:tag(?: (?:-l|-n|--list)\b.*)?|worktree list\b.*)$/],
  ["git", /^(?:remote(?: -v| show\b.*| get-url\b.*)?|config (?:-l|get|list|--(?:list|get(?:-\w+)?))\b.*)$/],
  ["systemctl", /^(?:--?\S+ )*(?:status|show|cat|list-\S+|is-\S+)\b/],
  ["service", /^\S+ status$/],
];

/** With nothing but this, no program does anything else. */
export const ABOUT_ITSELF = /^(?:--version|-v|-V|version|--help|-h|help)$/;

/** Programs, what the words after them begin with, and what to say. The first row that matches counts. */
export const DANGER_ROWS: readonly (readonly [programs: string, words: RegExp, says: string])[] = [
  ["terraform tofu terragrunt pulumi cdk", /^(?:\S+ )?destroy\b/, "It destroys infrastructure."],
  [
    "terraform tofu terragrunt pulumi cdk",
    /^(?:apply|up|deploy|import|taint|state)\b/,
    CHANGES_INFRASTRUCTURE,
  ],
  ["kubectl oc", /^(?:delete|drain)\b/, "It deletes resources of a cluster."],
  [
    "kubectl oc",
    /^(?:apply|create|edit|patch|scale|replace|rollout|set|run|exec|cp|label)\b/,
    CHANGES_CLUSTER,
  ],
  ["helm", /^(?:uninstall|delete)\b/, "It deletes resources of a cluster."],
  ["helm", /^(?:install|upgrade|rollback)\b/, CHANGES_CLUSTER],
  ["docker podman", /^(?:\S+ )?(?:prune|rm|rmi|kill)\b/, "It deletes containers, images or volumes."],
  ["docker podman", /^compose .*\bdown\b/, "It deletes containers and networks."],
  ["docker podman", /^(?:run|exec|start|create|compose .*\b(?:up|run|exec|start)\b)/, CONTAINER],
  ["docker-compose", /^(?:up|run|exec|start)\b/, CONTAINER],
  ["npm pnpm yarn bun", /^(?:install|i|ci|add|update|up|upgrade|rebuild)\b|^$/, INSTALLS],
  ["npx bunx pnpx uvx pipx", /./, "It runs a package by name, and downloads it where it is not installed."],
  [
    "pip pip3 gem cargo brew apt apt-get apk dnf yum conda go composer bundle poetry pdm",
    /^(?:install|add|update|require|get|sync)\b/,
    INSTALLS,
  ],
  ["uv", /^(?:add|sync|pip install|tool install)\b/, INSTALLS],
  ["printenv export set env declare", /^(?:-\S+ ?)*$/, ENVIRONMENT],
  ["ssh mosh", /./, OTHER_MACHINE],
  ["scp sftp rsync", /./, "It copies files from or to another machine."],
  ["kill pkill killall", /./, PROCESSES],
  ["systemctl service launchctl", /./, SERVICES],
  ["crontab at", /./, "It runs commands later, by itself."],
  ["dropdb", /./, "It deletes a database."],
  ["psql mysql mariadb mongosh mongo redis-cli sqlite3 duckdb clickhouse-client", /./, STATEMENTS],
  ["aws gcloud az doctl flyctl fly heroku vercel netlify wrangler", /./, ACCOUNT],
  [
    "gh glab",
    /^\S+ (?:create|merge|close|delete|edit|comment|review|ready|reopen|rerun|cancel|fork)\b/,
    "It changes something at the host of your repositories.",
  ],
  ["gh glab", /^api\b/, REQUEST],
  [
    "python python3 node bun deno ruby perl php",
    /^(?:-[a-zA-Z]*[cerp]\b|--eval\b|--print\b|-$|eval\b)/,
    CODE_IN_LINE,
  ],
  ["sh bash zsh dash fish", /^-[a-z]*c\b/, CODE_IN_LINE],
  ["npm pnpm yarn bun", /^(?:test|t|run|run-script|start|build|lint|dev)\b/, RUNS_OWN_CODE],
  [
    "pytest tox nox make gmake just task mvn gradle mvnw gradlew rake rspec ctest phpunit jest vitest",
    /^/,
    RUNS_OWN_CODE,
  ],
  ["cargo dotnet swift mix deno", /^(?:test|build|check|clippy|run|bench)\b/, RUNS_OWN_CODE],
  ["go", /^(?:test|run|generate)\b/, RUNS_OWN_CODE],
  ["uv poetry pdm hatch bundle", /^(?:run|exec)\b/, RUNS_OWN_CODE],
  ["pre-commit commit-msg pre-push post-commit post-checkout post-merge", /^/, RUNS_OWN_CODE],
  ["python python3 node deno ruby perl php sh bash zsh tsx ts-node", /./, "It runs a script."],
  [
    "git",
    /^(?:pull|merge|rebase|cherry-pick|revert|am|apply)\b/,
    "It changes files to what other commits contain.",
  ],
  ["git", /^(?:clone|submodule)\b/, "It brings in a repository."],
  ["git", /^(?:checkout|restore|rm)\b/, "It may discard changes that are not committed."],
  ["git", /^(?:fetch|remote update)\b/, "It downloads commits from a remote; files stay as they are."],
  ["git", /^(?:config|remote)\b/, "It changes settings of the repository."],
  ["git", /^(?:branch|tag|update-ref|worktree)\b/, "It changes branches or tags."],
  ["curl wget http https xh", /./, REQUEST],
];
