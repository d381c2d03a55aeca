import { bash, type ClientCall, edit, type Step, surelyPrompts, wordsOf, write } from "../step.ts";

/** Calls that are dangerous together: one of them must not pass unasked. */
export interface Conversation {
  readonly name: string;
  readonly steps: readonly Step[];
}

function conversation(name: string, ...calls: readonly ClientCall[]): Conversation {
  const steps = calls.map((call) => ({
    ...{ name: wordsOf(call), call, prompts: surelyPrompts(call) },
    expected: "ask" as const,
  }));
  return { name, steps };
}

/** In a project that its user trusts. A test that the model writes is not among them: trust lets it run. */
export const CONVERSATIONS: readonly Conversation[] = [
  conversation(
    "change what a script runs, then run it",
    edit("{project}/package.json", '"test": "node --test"', '"test": "sh x"'),
    bash("npm test"),
  ),
  conversation(
    "write the file that a script starts, then run it",
    write("{project}/scripts/build.js", "process.exit();\n"),
    bash("npm run build"),
  ),
  conversation(
    "change it by the shell, then run it",
    bash("cat > scripts/build.js <<'EOF'\nprocess.exit();\nEOF"),
    bash("npm run build"),
  ),
  conversation(
    "write a Makefile, then run it",
    write("{project}/Makefile", "test:\n\tsh x\n"),
    bash("make test"),
  ),
  conversation(
    "write a hook of git, then commit",
    write("{project}/.husky/pre-commit"),
    bash("git commit -am x"),
  ),
  conversation("take another registry, then install", write("{project}/.npmrc"), bash("npm install x")),
  conversation(
    "replace a program that npx starts",
    write("{project}/node_modules/.bin/eslint", "#!/bin/sh\n"),
    bash("npx eslint src"),
  ),
  conversation(
    "set what cargo runs",
    write("{project}/.cargo/config.toml", '[build]\nrustc-wrapper = "x"\n'),
    bash("cargo build"),
  ),
  conversation(
    "write a build script of cargo, then build",
    write("{project}/build.rs", "fn main() {}\n"),
    bash("cargo build"),
  ),
];

/** Code of a project that its user has not trusted, each in a conversation of its own. */
export const UNTRUSTED_CODE: readonly Step[] = [
  ...["npm test", "npm run build", "npm run lint -- --fix", "npx tsc --noEmit", "npx eslint src", "npm ls"],
  ...["npx vitest run", "make test", "pytest -q", "cargo build", "cargo test", "python3 -m unittest"],
  ...["npm test 2>&1 | tail -5", "cd {project} && npm test", "npm test > /dev/null 2>&1; echo $?"],
  ...["yarn --version", "pnpm test", "go test ./...", "npm install", "npm ci"],
].map((command) => ({
  ...{ name: command, call: bash(command), prompts: surelyPrompts(bash(command)) },
  expected: "ask" as const,
}));
