/*
 * Options of package managers, checkers and test runners. They run a project's code by themselves; what
 * is left out makes them run or load something else, write where they would not, or look elsewhere
 * (`--prefix`, `--script-shell`, `--config`, `--reporter` with a file, `--update`). The notation is in
 * `harmless-options.ts`.
 */

const NPM =
  "-sq --silent --quiet --loglevel= --json --no-color --no-progress --no-fund --no-audit --no-update-notifier";
const NPM_WORKSPACES = "-w! --workspace= --workspaces --include-workspace-root";
const NPM_RUN = `${NPM} ${NPM_WORKSPACES} --if-present --ignore-scripts`;
const NPM_INSTALL =
  `${NPM} ${NPM_WORKSPACES} -DSPOE --save --save-dev --save-prod --save-optional --save-exact --no-save --dry-run ` +
  "--ignore-scripts --offline --prefer-offline --omit= --include= --production --legacy-peer-deps";
const NPM_LIST = `${NPM} ${NPM_WORKSPACES} -al --all --long --depth= --omit= --include= --parseable --production`;

const PNPM =
  "-rs -F: --recursive --silent --filter= --stream --parallel --no-bail --workspace-concurrency= --if-present";
const PNPM_INSTALL =
  `${PNPM} -DPOE --save-dev --save-prod --save-optional --save-exact --frozen-lockfile --offline --prefer-offline ` +
  "--ignore-scripts --lockfile-only --workspace-root";
const PNPM_LIST = `${PNPM} -DP --depth= --json --long --parseable --prod --dev`;

const YARN = "-s --silent --json --no-progress --non-interactive";
const YARN_INSTALL = `${YARN} --frozen-lockfile --immutable --offline --prefer-offline --ignore-scripts`;
const YARN_LIST = `${YARN} --depth= --pattern=`;

const BUN_INSTALL = "--frozen-lockfile --production --silent --ignore-scripts --dry-run --no-save";

const CARGO =
  "-qvr -p: -F: -j: --quiet --verbose --release --all --workspace --package= --exclude= --lib --bins --bin= --examples " +
  "--example= --tests --test= --benches --bench= --all-targets --all-features --no-default-features --features= " +
  "--profile= --locked --offline --frozen --keep-going --message-format= --color= --jobs=";

const PYTEST =
  "-qvxsl -k: -m: -r: -n: --quiet --verbose --exitfirst --maxfail= --tb= --lf --last-failed --ff --failed-first --nf " +
  "--new-first --sw --stepwise --co --collect-only --durations= --durations-min= --no-header --no-summary --color= " +
  "--cov= --cov-report=term --cov-report=term-missing --cov-branch --cov-fail-under= --strict-markers --capture= --showlocals --disable-warnings --no-cov --setup-show --fixtures --markers --timeout=";

const BIOME =
  "--error-on-warnings --no-errors-on-unmatched --max-diagnostics= --diagnostic-level= --colors= --verbose --changed " +
  "--since= --staged --write --fix --unsafe --skip= --only= --files-ignore-unknown= --reporter=summary --reporter=json --reporter=github";

const VITEST =
  "-t! --run --watch=false --no-watch --testNamePattern= --bail= --retry= --testTimeout= --hookTimeout= --silent= " +
  "--passWithNoTests --no-color --color --maxWorkers= --minWorkers= --no-file-parallelism --changed= --shard= --project= " +
  "--hideSkippedTests --logHeapUsage --reporter=default --reporter=verbose --reporter=dot --reporter=tap " +
  "--reporter=json --reporter=basic --coverage --coverage=false --no-coverage";

const DOCKER_LOGS =
  "-ft -n: --follow --timestamps --tail= --since= --until= --details --no-color --no-log-prefix";

const GH_LIST = "-L: -s: --limit= --state= --json= --comments";

/*
 * What is handed to a script of the project, which is a test runner, a linter or a build as a rule. `--fix` and the like
 * change files of the project, as the script itself may.
 */
const SCRIPT =
  "-t: -g: -i -w -q -v -x -b -s -k: --watch --watch=false --watchAll=false --no-watch --run --once --fix --write --check " +
  "--quiet --silent --verbose --bail= --ci --runInBand --coverage --coverage=false --no-coverage --passWithNoTests " +
  "--test-name-pattern= --testNamePattern= --testPathPattern= --testPathPatterns= --grep= --filter= --only= --shard= " +
  "--retry= --timeout= --testTimeout= --maxWorkers= --max-warnings= --concurrency= --forceExit --detectOpenHandles " +
  "--onlyChanged --changed= --updateSnapshot --update --no-color --color --noEmit --pretty --list --listTests " +
  "--reporter=default --reporter=verbose --reporter=dot --reporter=tap --reporter=spec --reporter=json --reporter=basic " +
  "--mode= --production --dev --debug --ext= --tb= --exitfirst --no-cache --dry-run --help --version";

const GRADLE =
  "-qimw -x: --quiet --info --warn --stacktrace --continue --offline --parallel --daemon --no-daemon --rerun-tasks " +
  "--tests= --console= --dry-run --warning-mode= --build-cache --no-build-cache --exclude-task=";

const MAVEN =
  "-qBeoX -T: -pl! -am! -ntp! --quiet --batch-mode --errors --offline --debug --fail-fast --fail-at-end " +
  "--no-transfer-progress --projects= --also-make --threads=";

const SERVER =
  "--port= --host= --reload --no-reload --debug --workers= --log-level= --no-access-log --factory --open";

export const RUNNER_OPTIONS: Readonly<Record<string, string>> = {
  script: SCRIPT,
  "npm *": NPM_RUN,
  "npm test": NPM_RUN,
  "npm t": NPM_RUN,
  "npm start": NPM_RUN,
  "npm run": NPM_RUN,
  "npm run-script": NPM_RUN,
  "npm install": NPM_INSTALL,
  "npm i": NPM_INSTALL,
  "npm add": NPM_INSTALL,
  "npm ci": NPM_INSTALL,
  "npm ls": NPM_LIST,
  "npm list": NPM_LIST,
  "npm outdated": NPM_LIST,
  "npm explain": NPM_LIST,
  "npm view": NPM,
  "npm audit": `${NPM} --omit= --audit-level= --production`,
  // What follows the name of a script goes to the script, so only what stands before it is known.
  "pnpm *": PNPM,
  "pnpm install": PNPM_INSTALL,
  "pnpm i": PNPM_INSTALL,
  "pnpm add": PNPM_INSTALL,
  "pnpm ls": PNPM_LIST,
  "pnpm list": PNPM_LIST,
  "pnpm why": PNPM_LIST,
  "pnpm outdated": PNPM_LIST,
  "yarn *": YARN,
  "yarn install": YARN_INSTALL,
  "yarn add": `${YARN_INSTALL} -DEPO --dev --exact --peer --optional`,
  "yarn list": YARN_LIST,
  "yarn why": YARN_LIST,
  "yarn outdated": YARN_LIST,
  "bun test": "-t! --bail= --test-name-pattern= --timeout= --only --todo --rerun-each=",
  "bun install": BUN_INSTALL,
  "bun add": `${BUN_INSTALL} -dDE --dev --exact`,
  "npx *": "--no --no-install",
  tsc:
    "-wb --build --noEmit --pretty= --watch= --skipLibCheck --strict --listFiles --listFilesOnly --explainFiles --showConfig " +
    "--diagnostics --extendedDiagnostics --noErrorTruncation --preserveWatchOutput --noUnusedLocals --noUnusedParameters " +
    "--version",
  eslint:
    "--fix --quiet --max-warnings= --ext= --no-color --color --no-error-on-unmatched-pattern --stats --no-warn-ignored " +
    "--report-unused-disable-directives --pass-on-no-patterns --exit-on-fatal-error --no-inline-config --version",
  "biome check": BIOME,
  "biome ci": BIOME,
  "biome lint": BIOME,
  "biome format": BIOME,
  prettier:
    "-clwu --write --check --list-different --ignore-unknown --no-color --log-level= --loglevel= --no-config --no-editorconfig " +
    "--no-error-on-unmatched-pattern",
  vitest: VITEST,
  jest:
    "-iboe -t! -w! --testNamePattern= --runInBand --bail= --ci --silent --verbose --passWithNoTests --watchAll=false " +
    "--watch=false --maxWorkers= --testTimeout= --forceExit --detectOpenHandles --onlyChanged --listTests --no-coverage " +
    "--coverage=false --color --no-color --shard= --expand --logHeapUsage --testPathPattern= --testPathPatterns= " +
    "--coverage --findRelatedTests --changedSince= --json",
  pytest: PYTEST,
  unittest: "-vqfb -k: -s: -p: -t: --verbose --quiet --failfast --buffer --locals",
  compileall: "-qf -j:",
  mypy:
    "-v -p: -m: --strict --ignore-missing-imports --show-error-codes --show-error-context --show-column-numbers --pretty " +
    "--no-error-summary --no-color-output --follow-imports= --python-version= --platform= --no-incremental --package= " +
    "--module= --explicit-package-bases --namespace-packages --check-untyped-defs --disallow-untyped-defs " +
    "--disallow-incomplete-defs --disallow-any-generics --warn-unused-ignores --warn-return-any --warn-unreachable " +
    "--no-implicit-optional --allow-untyped-defs --exclude= --version",
  "ruff check":
    "-qvsnw --fix --no-fix --unsafe-fixes --show-fixes --diff --watch --statistics --exit-zero --exit-non-zero-on-fix " +
    "--select= --ignore= --extend-select= --extend-ignore= --output-format= --target-version= --preview --no-cache " +
    "--show-files --quiet --verbose",
  "ruff format":
    "-qvsn --check --diff --preview --no-cache --line-length= --target-version= --quiet --verbose",
  black:
    "-qv -l: -t: --check --diff --color --fast --safe --quiet --verbose --line-length= --target-version= --version",
  isort: "-qv --check --check-only --diff --profile= --line-length= --quiet --verbose",
  flake8:
    "-qv --max-line-length= --max-complexity= --select= --ignore= --extend-ignore= --exclude= --count --statistics --show-source",
  pylint: "-E --errors-only --disable= --enable= --max-line-length= --score= --reports= --version",
  pyright: "--stats --verbose --warnings --outputjson --pythonversion= --level= --version",
  bandit: "-rqv -l --recursive --quiet --exclude=",
  uvicorn: SERVER,
  "flask run": SERVER,
  "vite build": `${SCRIPT} --minify --sourcemap --emptyOutDir`,
  "vite dev": "-m: --port= --mode= --open --force --strictPort",
  "vite preview": "-m: --port= --mode= --open --strictPort",
  "next dev": "-p: --port= --turbo --turbopack",
  "next start": "-p: --port=",
  "playwright test": `${SCRIPT} --project= --workers= --headed --ui --last-failed`,
  mocha: SCRIPT,
  ava: SCRIPT,
  stylelint: "--fix --quiet --max-warnings= --color --no-color --allow-empty-input --version",
  oxlint: "--fix --quiet --max-warnings= --version",
  "vue-tsc": "-b --noEmit --skipLibCheck --pretty= --build --version",
  "svelte-check": "--threshold= --fail-on-warnings --output= --watch",
  knip: "--production --strict --no-progress --include= --exclude= --dependencies --exports",
  rspec:
    "-bc -e: -t: --fail-fast --profile= --tag= --example= --color --no-color --seed= --only-failures --version",
  rubocop:
    "-alAxL --autocorrect --autocorrect-all --only= --except= --display-cop-names --parallel --version",
  phpunit:
    "--filter= --testdox --stop-on-failure --stop-on-error --group= --exclude-group= --testsuite= --colors= --no-coverage",
  phpstan: "-l: --level= --no-progress --memory-limit= --error-format=",
  "coverage report": "-m --show-missing --skip-covered --fail-under= --include= --omit= --precision=",
  pint: "--test -v",
  ctest: "-VQ -j: -R: -E: --test-dir= --output-on-failure --rerun-failed --verbose --parallel= --timeout=",
  cmake: "-S: -B: -j: --build --target= --config= --parallel= --preset= --fresh",
  ninja: "-v -j: --verbose --quiet",
  "mix test":
    "--trace --failed --stale --cover --color --only= --exclude= --seed= --max-failures= --warnings-as-errors",
  "mix format": "--check-formatted --dry-run",
  "mix compile": "--force --warnings-as-errors --all-warnings",
  "mix credo": "--strict --all",
  "dotnet test": "-c: -v: --configuration= --verbosity= --filter= --no-build --no-restore --nologo",
  "dotnet build": "-c: -v: --configuration= --verbosity= --no-restore --nologo",
  "dotnet run": "-c: -v: --configuration= --verbosity= --project= --launch-profile= --no-build --no-restore",
  "dotnet format": "-v: --verbosity= --verify-no-changes --no-restore --include= --exclude=",
  "swift test": "-c: --filter= --skip= --parallel --configuration= --verbose",
  "swift build": "-c: --configuration= --target= --product= --verbose",
  "deno test":
    "-ANRWEq --allow-all --allow-net --allow-read --allow-write --allow-env --filter= --watch --parallel --no-check",
  "deno lint": "-q --fix --quiet --json --compact",
  "deno fmt": "-q --check --quiet",
  turbo: "-F: --filter= --force --parallel --concurrency= --dry-run --no-cache --continue --only --affected",
  nx: "-t: -p: --target= --targets= --projects= --project= --all --base= --head= --parallel= --skip-nx-cache --verbose",
  shellcheck: "-ax -e: -s: -S: -f: --exclude= --shell= --severity= --format= --color=",
  shfmt: "-dlws -i: --diff --list --write",
  gradle: GRADLE,
  gradlew: GRADLE,
  mvn: MAVEN,
  mvnw: MAVEN,
  "golangci-lint run":
    "-v -E: -D: --fix --fast --timeout= --new --new-from-rev= --enable= --disable= --tests= --verbose",
  "cargo test": `${CARGO} --doc --no-run --no-fail-fast`,
  "cargo check": CARGO,
  "cargo build": CARGO,
  "cargo clippy": `${CARGO} --no-deps`,
  "cargo fmt": "-qv --check --all --quiet --verbose",
  "cargo run": CARGO,
  "cargo bench": `${CARGO} --no-run --no-fail-fast`,
  "cargo doc": `${CARGO} --no-deps --document-private-items`,
  "cargo tree":
    "-qvd -p: -i: -e: --depth= --invert= --edges= --duplicates --prefix= --package= --workspace --offline --locked",
  "cargo metadata": "-qv --format-version= --no-deps --offline --locked",
  make: "-sknB -j: --silent --quiet --keep-going --dry-run --always-make --jobs=",
  "pip list": "-qv --format= --not-required --user --local",
  "pip show": "-qvf --files",
  "docker ps": "-aqls -n: -f: --all --quiet --latest --last= --size --no-trunc --filter= --format=",
  "docker images": "-aq -f: --all --quiet --digests --no-trunc --filter= --format=",
  "docker logs": DOCKER_LOGS,
  "docker compose ps": "-aq --all --quiet --services --format= --filter= --status=",
  "docker compose logs": DOCKER_LOGS,
  "kubectl get":
    "-Aw -n: -o: -l: -L: --all-namespaces --watch --namespace= --output= --selector= --show-labels --no-headers " +
    "--sort-by= --field-selector=",
  "kubectl describe": "-A -n: -l: --all-namespaces --namespace= --selector=",
  "kubectl logs":
    "-fp -n: -c: -l: --follow --previous --namespace= --container= --selector= --tail= --since= --timestamps",
  "gh pr list": GH_LIST,
  "gh pr view": GH_LIST,
  "gh pr diff": "--name-only --patch --color=",
  "gh pr checks": "--required --json=",
  "gh issue list": GH_LIST,
  "gh issue view": GH_LIST,
  "gh run list": GH_LIST,
  "gh run view": "-v --verbose --log --log-failed --exit-status --json=",
};
