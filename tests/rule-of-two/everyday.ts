import type { Move, Stage } from "./stage.ts";

/** Work as it is done every day. */
export interface Flow {
  readonly title: string;
  /** How many calls there are; all of them run. */
  readonly calls: number;
  act(stage: Stage): Promise<unknown>;
}

function flow(title: string, ...moves: readonly Move[]): Flow {
  return { title, calls: moves.length, act: (stage) => stage.does(...moves) };
}

function bash(command: string): Move {
  return ["bash", { command }];
}

function fetchPage(page: string): Move {
  return ["fetch_page", { url: `https://docs.example/${page}` }];
}

function read(path: string): Move {
  return ["read_file", { path: `/repo/${path}` }];
}

function write(path: string): Move {
  return ["write_file", { path: `/repo/${path}` }];
}

export const EVERYDAY: readonly Flow[] = [
  flow(
    "read documentation, then read and edit code",
    fetchPage("guide"),
    read("src/a.ts"),
    write("src/a.ts"),
  ),
  flow("read two pages", fetchPage("one"), fetchPage("two")),
  flow("read an issue, then fix it", ["get_issue", { number: 7 }], read("src/a.ts"), write("src/a.ts")),
  flow("read an issue, fix it and answer", ["get_issue", { number: 7 }], write("src/a.ts"), [
    "add_comment",
    { text: "Fixed." },
  ]),
  flow("install a package, then run the tests", bash("npm install zod"), bash("npm test")),
  flow(
    "clone a repository and search in it",
    bash("git clone https://git.example/x.git"),
    bash("grep -rn main x/src"),
  ),
  flow(
    "fetch a paper and write a summary",
    ["fetch_page", { url: "https://papers.example/1.pdf" }],
    write("notes.md"),
  ),
  flow("commit without pushing", fetchPage("guide"), write("src/a.ts"), bash("git add src"), [
    "bash",
    { command: 'git commit -m "Ignore .env, as the guide says"' },
  ]),
  flow("read documentation, commit and push", fetchPage("guide"), bash("git commit -am Fix"), [
    "push_branch",
    { branch: "fix" },
  ]),
  flow(
    "look around, then look something up",
    bash("git status"),
    bash("ls -la"),
    bash("git diff HEAD"),
    fetchPage("git"),
  ),
  flow("search the code, then the documentation", ["search_code", { folder: "/repo" }], fetchPage("api")),
  flow("find where the environment is used", bash("grep -rn process.env src"), fetchPage("env")),
  flow(
    "start from the example of the settings",
    fetchPage("setup"),
    read(".env.example"),
    write("README.md"),
    fetchPage("more"),
  ),
  flow(
    "keep the settings out of git",
    fetchPage("git"),
    read(".gitignore"),
    write(".gitignore"),
    bash("ls .env"),
    fetchPage("more"),
  ),
  flow(
    "edit the manifest and build",
    read("package.json"),
    write("package.json"),
    bash("npm install"),
    bash("npm run build"),
    fetchPage("npm"),
  ),
  flow(
    "work in a folder of the repository",
    fetchPage("guide"),
    bash("cd packages/core && npx vitest run"),
    fetchPage("more"),
  ),
  flow(
    "put a page aside and read it again",
    bash("curl -sL -o /tmp/page.html https://docs.example/x"),
    ["read_file", { path: "/tmp/page.html" }],
    fetchPage("more"),
  ),
  flow(
    "look into a header of the system",
    fetchPage("libc"),
    ["read_file", { path: "/usr/include/stdio.h" }],
    fetchPage("more"),
  ),
  flow(
    "take a key from the environment and send the report it is for",
    ["read_environment", { name: "MAIL_KEY" }],
    ["send_email", { to: "team@example.com" }],
  ),
  {
    title: "have a subagent read the web, and edit what it found",
    calls: 3,
    async act(stage) {
      const scout = await stage.subagent("scout");
      await scout.does(fetchPage("one"), fetchPage("two"));
      await stage.does(write("src/a.ts"));
    },
  },
];
