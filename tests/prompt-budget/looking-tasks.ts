import { bash, fetchPage, glob, grep, read, searchWeb, type Task, task, tracker, write } from "./task.ts";

/** Tasks after which the code is as it was. */
export const LOOKING_TASKS: readonly Task[] = [
  task("read a file and explain it", read("src/router.ts"), read("src/server.ts")),
  task("search the code", grep("parseRange"), read("src/range.ts"), bash('grep -rn "parseRange(" src tests')),
  task("find files", glob("**/*.config.ts"), bash('find . -name "*.test.ts" -not -path "./node_modules/*"')),
  task(
    "look around in a repository",
    bash("ls -la"),
    read("README.md"),
    read("package.json"),
    glob("src/**/*.ts"),
    bash("git log --oneline -10"),
  ),
  task("show what has changed", bash("git status"), bash("git diff"), bash("git log --oneline -5")),
  task(
    "show the history of a file",
    bash("git log -p -- src/router.ts"),
    bash("git blame -L 40,80 src/router.ts"),
    bash('git log --follow --date=short --pretty=format:"%h %ad %an %s" -- src/router.ts'),
  ),
  task(
    "compare branches",
    bash("git branch -a"),
    bash("git log main..HEAD --oneline"),
    bash("git diff main...HEAD --stat"),
    bash("git diff main...HEAD -- src/router.ts"),
  ),
  task("show the last commits", bash("git log --oneline | head -5"), bash("git show HEAD --stat")),
  task(
    "count lines",
    bash("wc -l src/*.ts"),
    bash('find src -name "*.ts" | xargs wc -l | tail -1'),
    bash("git ls-files | wc -l"),
  ),
  task(
    "look at a failing CI log",
    bash("gh run list --limit 5"),
    bash("gh run view 9182736455 --log-failed | tail -100"),
    read(".github/workflows/ci.yml"),
    read("src/range.test.ts"),
  ),
  task("read a pull request", bash("gh pr view 42 --comments"), bash("gh pr diff 42"), read("src/range.ts")),
  task(
    "look into a repository that is cloned for it",
    bash("git clone --depth 1 https://github.com/colinhacks/zod.git /tmp/zod"),
    bash('grep -rn "safeParse" /tmp/zod/packages/zod/src | head -20'),
    read("/tmp/zod/README.md"),
  ),
  task(
    "say how the containers are doing",
    read("docker-compose.yml"),
    bash("docker compose ps"),
    bash("docker compose logs --tail=50 api"),
  ),
  task(
    "fetch the documentation of Node",
    fetchPage("https://nodejs.org/api/stream.html"),
    read("src/body.ts"),
  ),
  task("fetch the documentation of a library", fetchPage("https://zod.dev/api"), read("src/schema.ts")),
  task(
    "search the web and read the page",
    searchWeb("vitest fake timers with promises"),
    fetchPage("https://vitest.dev/guide/mocking.html"),
    read("src/timer.test.ts"),
  ),
  task(
    "list issues and read two",
    tracker("list_issues", { state: "open" }),
    tracker("get_issue", { number: 7 }),
    tracker("get_issue", { number: 12 }),
  ),
  task("summarise a PDF", bash("ls -lh docs"), read("docs/protocol.pdf"), write("docs/protocol-summary.md")),
];
