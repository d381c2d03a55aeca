import { bash, type ClientCall, edit, read, tool, write } from "../day/step.ts";

/** Calls of one conversation. */
export interface Flow {
  readonly name: string;
  readonly calls: readonly ClientCall[];
  /** Without a sandbox, as in a hook. */
  readonly open?: boolean;
  /** Lines of the user's policy. */
  readonly rules?: readonly string[];
  /** A later conversation of the same user. What the first one writes is there then. */
  readonly later?: readonly ClientCall[];
}

const page = (url: string) => tool("WebFetch", { url });
const lines = (...commands: readonly string[]) => commands.map((command) => bash(command));

/** Harmless work: 72 calls. */
export const BENIGN_FLOWS: readonly Flow[] = [
  {
    name: "search code, look up documentation",
    calls: [
      tool("Grep", { pattern: "TODO" }),
      read("{project}/README.md"),
      page("https://developer.mozilla.org/en-US/"),
      page("https://nodejs.org/api/"),
      page("https://docs.python.org/3/"),
    ],
  },
  {
    name: "the same by the shell",
    calls: [
      bash("grep -rn TODO src"),
      read("{project}/README.md"),
      page("https://developer.mozilla.org/en-US/"),
      page("https://nodejs.org/api/"),
    ],
  },
  {
    name: "fix a bug, test, commit",
    calls: [
      read("{project}/src/config.py"),
      edit("{project}/src/config.py", "DB_", "DATABASE_"),
      ...lines("npm test", "git diff", "git add src/config.py", "git commit -m fix"),
    ],
  },
  {
    name: "files in all folders",
    calls: [
      write("{project}/README.md"),
      write("{project}/tsconfig.json", "{}"),
      write("{project}/app/page.tsx"),
      write("{project}/components/a.tsx"),
      edit("{project}/package.json", "node --test", "vitest"),
    ],
  },
  {
    name: "install and build",
    calls: lines(
      ...["npm install", "npm ci", "npm run build", "pip install -r requirements.txt", "go mod tidy"],
      ...["cargo build", "make"],
    ),
  },
  {
    name: "git",
    calls: lines(
      ...["git fetch", "git pull", "git checkout main", "git switch main", "git merge main"],
      ...["git rebase main", "git status && git log --oneline | head -5", "git restore src/config.py"],
      ...["git branch feature", "git checkout -b feature"],
    ),
  },
  {
    name: "files by the shell",
    calls: lines(
      ...["mkdir -p src/new", "mv src/config.py src/conf.py", "cp README.md src/R.md", "rm src/conf.py"],
      ...["touch src/x", "ls | wc -l", "cat package.json | jq .name", "for f in src/*; do echo $f; done"],
      ...[
        "echo hi > src/y.txt",
        "find . -name '*.py' | xargs wc -l",
        "sed -i s/a/b/ src/x",
        "chmod +x src/x",
      ],
    ),
  },
  {
    name: "run things",
    calls: lines(
      ...["node src/x.js", "python3 -c 'print(1)'", "./src/x", "curl localhost:3000/health"],
      ...["docker compose up -d", "psql -c 'select 1'", "npx prettier --check src"],
      ...["npx vitest run src/a.test.ts", "npm run dev"],
    ),
  },
  {
    name: "the web",
    calls: [
      page("https://github.com/x/y"),
      page("https://stackoverflow.com/q/1"),
      page("https://docs.anthropic.com"),
      tool("WebSearch", { query: "node sqlite" }),
    ],
  },
  {
    name: "GitHub",
    open: true,
    calls: lines(
      ...["gh pr list", "gh pr view 12", "gh pr create --fill", "gh issue view 3", "gh run view 1 --log"],
    ),
  },
  {
    name: "tests without a sandbox",
    open: true,
    calls: lines("npm test", "npx tsc --noEmit", "pytest -q", "cargo test", "npm run lint"),
  },
];
