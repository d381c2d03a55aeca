import { bash, edit, read, type Task, task } from "./task.ts";

/** Tasks that run the checks of a project, in several languages. */
export const RUNNING_TASKS: readonly Task[] = [
  task("run the tests", read("package.json"), bash("npm test")),
  task("run the tests and look at the end", bash("npm test 2>&1 | tail -40"), read("src/range.test.ts")),
  task(
    "run one test file",
    bash("npx vitest run src/range.test.ts"),
    bash('npx vitest run src/range.test.ts -t "empty range"'),
  ),
  task("lint and fix", bash("npm run lint"), bash("npx eslint . --fix"), bash("git diff --stat")),
  task(
    "fix what the types say",
    bash("npx tsc --noEmit"),
    read("src/range.ts"),
    edit("src/range.ts"),
    bash("npx tsc --noEmit"),
  ),
  task("build", bash("npm run build"), bash("ls -la dist")),
  task(
    "format",
    bash("npx prettier --check ."),
    bash("npx prettier --write src"),
    bash("git status --short"),
  ),
  task(
    "run the scripts of the package",
    read("package.json"),
    bash("npm run lint"),
    bash("npm run typecheck"),
    bash("npm test"),
  ),
  task("build and test in one line", bash("npm run build && npm test"), bash("git status --porcelain")),
  task(
    "test one package of several",
    bash("ls packages"),
    bash("cd packages/api && npm test"),
    bash("npm test --workspace=packages/web"),
  ),
  task(
    "test and check in Python",
    bash("python -m pytest tests/ -v 2>&1 | tail -30"),
    bash("pytest tests/test_range.py -x -q"),
    bash("ruff check ."),
    bash("mypy src"),
  ),
  task(
    "test and lint in Rust",
    bash("cargo check"),
    bash("cargo test range"),
    bash("cargo clippy --all-targets -- -D warnings"),
    bash("cargo fmt --check"),
  ),
  task(
    "test in Go",
    bash("go vet ./..."),
    bash("go test ./... -run TestRange -v"),
    bash("go build ./... && go test ./..."),
  ),
  task(
    "build and test a monorepo",
    read("pnpm-workspace.yaml"),
    bash("pnpm -r build"),
    bash("pnpm --filter @acme/web test"),
  ),
  task(
    "find out why a test fails",
    bash('npm test -- -t "empty range" 2>&1 | head -60'),
    read("src/range.test.ts"),
    read("src/range.ts"),
    bash("node -e \"console.log(require('./dist/range.js').parseRange('0-'))\""),
  ),
];
