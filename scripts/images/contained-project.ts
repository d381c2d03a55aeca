import { OWN_COMMAND } from "../../tests/cli/cli-bench.ts";
import { containedBench } from "../../tests/cli/contained-bench.ts";
import { inTerminal } from "../../tests/cli/pseudo-terminal.ts";

const SHOWN_HOME = "/home/grace";
const LONGEST_MS = 100_000;

const SETUP = `from pathlib import Path
app = Path("app.py")
app.write_text(app.read_text().replace("def add", "def total"))
Path("notes.md").write_text("# Renamed\\n")
Path(".git/hooks/pre-commit").write_text("make lint\\n")
`;

/** A project of an ordinary user in which a command ran contained, and what a terminal shows of it. */
export async function containedProject() {
  const bench = containedBench();
  bench.write("app.py", "def add(a, b):\n    return a + b\n");
  bench.write("rename.py", SETUP);
  await bench.shell("git init -q -b main && git add -A");
  await bench.toolkeep("init", "claude-code", "--contain", "--no-trust", "--yes");
  const { ran } = await bench.bash("python3 rename.py");
  if (ran?.code !== 0) throw new Error(`The command was not contained: ${ran?.stderr}`);
  return {
    async show(line: string, columns: number): Promise<string> {
      const typed = line.replace(/^toolkeep/, OWN_COMMAND.join(" "));
      const { shown } = await inTerminal(
        `stty cols ${columns} rows 200; ${typed}`,
        ...([
          [],
          { cwd: bench.project, env: { ...bench.environment, TERM: "xterm-256color" } },
          LONGEST_MS,
        ] as const),
      );
      return shown.replaceAll(bench.home, SHOWN_HOME);
    },
    [Symbol.asyncDispose]: () => bench.remove(),
  };
}
