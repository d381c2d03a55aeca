/*
 * Programs that check, test, build, format or serve the project they are started in. Their options are in the tables of
 * core (`runner-options.ts`); an option that is not there, and a subcommand that is not here, asks.
 */

/** By name, with the subcommands that are meant; without any it takes files and names. */
export const PROJECT_TOOLS: Readonly<Record<string, string>> = {
  ...{
    pytest: "",
    unittest: "",
    doctest: "",
    compileall: "",
    py_compile: "",
    mypy: "",
    black: "",
    isort: "",
  },
  ...{ flake8: "", pylint: "", pyright: "", basedpyright: "", bandit: "", uvicorn: "", ruff: "check format" },
  ...{ flask: "run routes", coverage: "report html xml combine erase", pip: "list show freeze check" },
  pip3: "list show freeze check",
  ...{ tsc: "", "vue-tsc": "", "svelte-check": "", eslint: "", oxlint: "", stylelint: "", prettier: "" },
  ...{ vitest: "", jest: "", mocha: "", ava: "", knip: "", tsup: "", biome: "check ci lint format" },
  ...{
    playwright: "test",
    vite: "build dev preview",
    next: "build dev lint start",
    astro: "build check dev",
  },
  ...{ prisma: "generate validate format", dprint: "check fmt" },
  go: "test vet build fmt generate list env doc version mod tool",
  ...{ gofmt: "", goimports: "", staticcheck: "", "golangci-lint": "run" },
  cargo: "test check build clippy fmt doc tree metadata bench run",
  rustfmt: "",
  ...{ dotnet: "test build run format", swift: "test build run", mix: "test compile format credo" },
  ...{
    flutter: "test analyze",
    dart: "test analyze format",
    deno: "test lint fmt check task",
    zig: "test fmt",
  },
  ...{ rspec: "", rubocop: "", standardrb: "", phpunit: "", pest: "", phpstan: "analyse analyze", psalm: "" },
  ...{ pint: "", phpcs: "", ctest: "", meson: "compile test", composer: "test validate show" },
  ...{
    stack: "test build",
    cabal: "test build",
    lein: "test",
    rebar3: "compile eunit ct",
    dune: "build test",
  },
  ...{ gleam: "test build format", crystal: "spec", shellcheck: "", shfmt: "", actionlint: "", hadolint: "" },
};

/** What follows the subcommand of these has names of its own. */
export const NARROWED: Readonly<Record<string, RegExp>> = {
  "go mod": /^(?:tidy|download|verify|graph|why)$/,
  "go tool": /^cover$/,
  "deno task": /^(?:test|build|lint|check|fmt|dev|start)$/,
};

/** Every operand of these is a goal. */
export const GOALS: Readonly<Record<string, RegExp>> = {
  mvn: /^(?:clean|validate|compile|test-compile|test|package|verify|dependency:tree|spring-boot:run)$/,
  mvnw: /^(?:clean|validate|compile|test-compile|test|package|verify|dependency:tree|spring-boot:run)$/,
  sbt: /^(?:clean|compile|test)$/,
};

/** Each operand of these is the name of a task. */
export const TASK_RUNNERS: ReadonlySet<string> = new Set(
  "make gmake just task gradle gradlew rake turbo nx ninja cmake".split(" "),
);

/** Where builds put what they make, from the root of the project. */
export const BUILT =
  /^(?:\.\/)?(?:(?:packages|apps|services|crates)\/[\w-]+\/)?(?:bin|build|dist|out|target|coverage)(?:\/\w[\w.-]*)+$/;

/** What tests and profilers record, by names that nothing else has. */
const RECORD =
  /^(?:\.?\/)?(?:\w[\w.-]*\/)*(?:cover|coverage|cpu|mem|profile|junit|report|results?)[\w-]*\.(?:out|prof|xml|txt)$/;

/** Options whose values are looked at: what is written, and what is handed to a linker. */
export const CHECKED_OPTIONS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  "go build": { "-o": BUILT, "-ldflags": /^(?:-[sw]|-X [\w./-]+=[\w.+:-]*|\s)+$/ },
  "go test": { "-coverprofile": RECORD, "-cpuprofile": RECORD, "-memprofile": RECORD, "-o": BUILT },
  pytest: { "--junitxml": RECORD, "--junit-xml": RECORD },
  tsc: { "--outDir": /^(?:\.\/)?(?:bin|build|dist|out|lib)\/?$/, "-p": /^[\w./-]*tsconfig[\w.-]*\.json$/ },
  mvn: { "-Dtest": /^[\w.#*,$-]+$/, "-DskipTests": /^(?:true|false)$/ },
  mvnw: { "-Dtest": /^[\w.#*,$-]+$/, "-DskipTests": /^(?:true|false)$/ },
  flask: { "--app": /^[\w.:]+$/ },
  "meson compile": { "-C": /^[\w-]*build[\w-]*$/ },
};

/** Options after which these work in another folder. */
export const FOLDER_OPTIONS: Readonly<Record<string, string>> = {
  make: "-C",
  gmake: "-C",
  go: "-C",
  npm: "--prefix",
  pnpm: "-C --dir",
  yarn: "--cwd",
  ninja: "-C",
};

/** They hand what follows a `--` to the program of the project. */
export const HANDING_ON: ReadonlySet<string> = new Set(["cargo", "dotnet", "swift"]);

/** Scripts that package managers start without `run`; under any other name some of them start a program. */
export const SCRIPT_NAMES =
  /^(?:test|t|start|build|lint|typecheck|type-check|types|check|format|fmt|dev|preview|unit|e2e|coverage)(?::[\w:-]+)?$/;

/** How package managers choose packages of the workspace: with a value in the next word, and without. */
export const CHOOSING_PACKAGES: Readonly<Record<string, readonly [valued: RegExp, single: RegExp]>> = {
  npm: [/^(?:-w|--workspace)$/, /^(?:--workspaces|--if-present|-s|--silent|--workspace=.+)$/],
  pnpm: [
    /^(?:-F|--filter)$/,
    /^(?:-r|--recursive|--if-present|--parallel|--stream|-s|--silent|--filter=.+)$/,
  ],
  yarn: [/^workspace$/, /^(?:-s|--silent)$/],
  bun: [/^(?:-F|--filter)$/, /^(?:--silent|--filter=.+)$/],
};

/** Programs that start the one that is named after them. */
export const LAUNCHERS: Readonly<Record<string, string>> = {
  npx: "",
  pnpm: "exec",
  yarn: "exec",
  uv: "run",
  poetry: "run",
  pdm: "run",
  pipenv: "run",
  rye: "run",
  hatch: "run",
  bundle: "exec",
};

/** What an interpreter takes before the file that it runs, and how such files end. */
export interface Interpreter {
  readonly name: RegExp;
  readonly options: RegExp;
  readonly files: RegExp;
  /** The subcommand that runs a file. */
  readonly run?: string;
}

export const INTERPRETERS: readonly Interpreter[] = [
  {
    name: /^(?:node|nodejs|tsx|ts-node)$/,
    options:
      /^--(?:enable-source-maps|no-warnings|trace-warnings|trace-uncaught|watch|experimental-(?:strip-types|transform-types|sqlite)|max-old-space-size=\d+|unhandled-rejections=\w+)$/,
    files: /\.[cm]?[jt]sx?$/,
  },
  { name: /^bun$/, options: /^--(?:watch|hot|silent)$/, files: /\.[cm]?[jt]sx?$/, run: "run" },
  { name: /^bun$/, options: /^--(?:watch|hot|silent)$/, files: /\.[cm]?[jt]sx?$/ },
  {
    name: /^deno$/,
    options: /^-[ANRWEq]+$|^--(?:allow-(?:all|net|read|write|env|sys|ffi|run)|no-check|check|watch|quiet)$/,
    files: /\.[cm]?[jt]sx?$/,
    run: "run",
  },
  { name: /^python(?:3(?:\.\d+)?)?$/, options: /^-[uBEsIOqvb]+$|^-X(?:dev|utf8)$/, files: /\.py$/ },
  { name: /^uv$/, options: /^--(?:frozen|offline|locked)$/, files: /\.py$/, run: "run" },
  { name: /^coverage$/, options: /^-[ap]$|^--(?:branch|source=[\w.,/]+)$/, files: /\.py$/, run: "run" },
  { name: /^java$/, options: /^-(?:jar|ea|Xm[sx]\d+[kmg]?)$/, files: /\.(?:jar|java)$/ },
  { name: /^ruby$/, options: /^-w$|^-I(?:test|lib|spec)$/, files: /\.(?:rb|rake)$/ },
  { name: /^php$/, options: /^-[ql]$/, files: /\.php$/ },
  { name: /^perl$/, options: /^-[wTt]+$/, files: /\.(?:pl|t)$/ },
  { name: /^(?:ba|z|da|k)?sh$/, options: /^-[euxvn]+$/, files: /\.(?:ba|z|k)?sh$/ },
  { name: /^(?:rscript|lua|luajit|julia|elixir)$/, options: /^--no-save$/, files: /\.(?:[rR]|lua|jl|exs?)$/ },
  { name: /^go$/, options: /^-(?:race|v|x|trimpath|tags=[\w,]+)$/, files: /\.go$/, run: "run" },
  { name: /^dart$/, options: /^--enable-asserts$/, files: /\.dart$/, run: "run" },
];

/** Words by which a script says that it reaches further than the project. */
export const FURTHER =
  /^(?:deploy|publish|releas|ship$|migrat|destroy|reset|drop$|prod$|production|push|upload|wipe|purge|nuke|rollback|flush|install|uninstall|teardown|provision)/i;

/** Handed to a program, they may be what it runs. */
export const COMMAND_WORDS: ReadonlySet<string> = new Set(
  (
    "sh bash zsh dash ksh fish rm mv cp dd curl wget ssh scp rsync nc git gh npm npx pnpm yarn bun node deno python python3 " +
    "ruby perl php docker podman kubectl helm terraform aws gcloud az psql mysql redis-cli mongo sudo su eval exec shell " +
    "console runner tinker repl dbshell dbconsole"
  ).split(" "),
);

/** Options by which programs are told what to run, or what to load first. */
export const CODE_OPTIONS =
  /^-(?:[ceEI]|-?(?:eval|exec|execute|command|cmd|code|shell|require|import|preload|loader|plugin|init-script|config|toolexec|vettool|run))(?:[=\W].*)?$/;
