import {
  ASSIGNMENTS,
  COMMENTS,
  DOCUMENTS,
  DOUBLE_QUOTED,
  ESCAPES,
  EXPANSIONS,
  JOINTS,
  LOOP_WORDS,
  NAMES,
  OPERANDS,
  OPERATORS,
  OPTIONS,
  PATTERNS,
  PLAIN_REDIRECTS,
  QUOTED,
  REDIRECTS,
  RISKY_NAMES,
  RISKY_OPERATORS,
  SIMPLE,
  STUB_PATHS,
  TILDES,
  VARIABLES,
} from "./line-parts.ts";
import type { Random } from "./random.ts";

/** A command line: mostly of the plain kind, with traps strewn in. */
export function generateLine(random: Random): string {
  const risk = random.pick([0, 0, 0.02, 0.05, 0.15]);
  const joined = list(random, risk, 0);
  const line = random.chance(0.1)
    ? joined + random.pick([";", "\n", " ", " ;", "\n\n", ";\n", " &&", "\\", "&"])
    : joined;
  return (random.chance(0.05) ? random.pick([" ", "\n", "\t", "\ufeff", ";"]) : "") + line;
}

function list(random: Random, risk: number, depth: number): string {
  const commands = random.some(1, random.pick(depth === 0 ? [1, 1, 2, 4] : [1, 2]), () =>
    structure(random, risk, depth),
  );
  return commands.reduce((line, next) => {
    // The lines of a here-document end with the delimiter and nothing else.
    const isDocument = /\nEOF$/.test(line);
    return line + (isDocument ? "\n" : operator(random, risk)) + next;
  });
}

/** A command, or commands with a sign or a keyword around them. */
function structure(random: Random, risk: number, depth: number): string {
  if (depth > 1 || !random.chance(0.3)) return command(random, risk);
  const inner = () => list(random, risk, depth + 1);
  const end = random.pick(["; ", "\n", " ;\n"]);
  const after = random.chance(0.3) ? ` ${random.pick(PLAIN_REDIRECTS)}` : "";
  switch (random.below(16)) {
    case 0:
      return `{ ${inner()}${end}}${after}`;
    case 1:
      return `(${random.pick(["", " "])}${inner()}${random.pick(["", " "])})${after}`;
    case 2:
      return `! ${command(random, risk)}`;
    case 3:
      return `${random.pick(["time ", "timeout 5 ", "timeout -k 1 5s ", "env ", "exec ", "command ", "nice ", "nice -n 3 ", "time -p ", "git ls-files | xargs "])}${command(random, risk)}`;
    case 4:
    case 9:
    case 10: {
      const words = random.some(1, 3, () => random.pick(LOOP_WORDS)).join(" ");
      return `for ${random.pick(["f", "f", "f", "f", "f", "f", "f", "f", "i", "PATH", "x_y"])} in ${words}${random.pick(["; ", "\n"])}do ${round(random, inner)}${end}done${after}`;
    }
    case 5:
      return `if ${inner()}${end}then ${inner()}${end}${random.chance(0.3) ? `else ${inner()}${end}` : ""}fi${after}`;
    case 6:
      return `${command(random, risk)} & ${command(random, risk)}`;
    case 7:
      return `${random.pick(COMMENTS)}\n${inner()}`;
    case 8:
      return random.pick([
        "git ls-files | xargs grep -l x",
        "git ls-files -z src | xargs -0 wc -l",
        "git ls-files | xargs rm",
      ]);
    case 11:
      return `${random.pick(["", "IFS= ", "IFS=: ", "CI=1 "])}while ${random.pick(["", "IFS= ", "! "])}read ${random.pick(["-r f", "f", "-r f i", "-r path", "-d x f"])}; do ${round(random, inner)}${end}done < _files/a`;
    case 12:
      return `${random.pick(["while false", "until true", "until ls a", "while ! true"])}${end}do ${inner()}${end}done${after}`;
    case 13:
      return `cd ${random.pick([".", "./", "_no"])} || ${random.pick(["exit 1", "exit", "{ ls a; exit 1; }", "ls", "exit 1 2"])}${random.pick(["; ", " && ", "\n"])}${command(random, risk)}`;
    case 14:
      return `export ${random.pick([...ASSIGNMENTS, ...ASSIGNMENTS, "PATH=_stubs", "CI"])}${end}${inner()}`;
    default:
      return `${command(random, risk)} \\\n${random.pick([" ", " ", "# note\n"])}${word(random, risk)}`;
  }
}

/** What a loop does, mostly with its variable. */
function round(random: Random, inner: () => string): string {
  const one = random.pick([
    "echo $f",
    'cat "$f"',
    "wc -l $f",
    'echo "x$f" y',
    `ls \${f} z`,
    `rm "\${f}"`,
    'echo a"$f"b',
    'echo "= $f"',
    `printf '%s\\n' "$f"`,
    "(cd $f && ls)",
    "rm $f",
    "echo $f$f",
    'grep -q x "$f" && echo $f',
    'cp "$f" x',
  ]);
  return random.chance(0.7) ? `${one}${random.pick(["", `; ${inner()}`])}` : inner();
}

/** `cat` and a few others, fed with what is written in the line. */
function fed(random: Random): string {
  const delimiter = random.pick(["'EOF'", '"EOF"', "EOF", "EOF", "-'EOF'"]);
  const before = random.pick([
    "cat",
    "cat > _files/a",
    "grep -c x",
    "tee _files/b.ts",
    "sh",
    "python3 -",
    "git commit -F -",
  ]);
  const after = random.pick(["", "", " > _files/a", " | head -n 1", " && ls", " 2>&1", "; ls"]);
  return `${before} <<${delimiter}${after}\n${random.pick(DOCUMENTS)}\nEOF`;
}

function printed(random: Random): string {
  const delimiter = random.pick(["'EOF'", "'EOF'", "EOF", '"EOF"']);
  const text = `$(cat <<${delimiter}\n${random.pick(DOCUMENTS)}\nEOF\n)`;
  return random.pick([`"${text}"`, `"${text}"`, `"a ${text} b"`, text, `'a'"${text}"`]);
}

function operator(random: Random, risk: number): string {
  return random.pick(random.chance(risk) ? RISKY_OPERATORS : OPERATORS);
}

function command(random: Random, risk: number): string {
  if (random.chance(0.04)) return fed(random);
  if (random.chance(0.04)) return `[ ${random.some(1, 3, () => word(random, risk)).join(" ")} ]`;
  if (random.chance(0.03))
    return `[[ ${random.pick(["-f ", "-n ", "! -d ", "a = ", "a == ", ""])}${word(random, risk)} ]]`;
  const words = random.some(0, 4, () => word(random, risk));
  const before = random.chance(0.04) ? `${random.pick(ASSIGNMENTS)} ` : "";
  const after = random.chance(0.15) ? ` ${random.pick(PLAIN_REDIRECTS)}` : "";
  const line = [name(random, risk), ...words].reduce((text, next) => text + random.pick(JOINTS) + next);
  return before + line + after;
}

function name(random: Random, risk: number): string {
  const chosen = random.chance(risk) ? random.pick(RISKY_NAMES) : random.pick(NAMES);
  if (random.chance(0.06)) return random.pick(STUB_PATHS);
  return random.chance(0.08) ? splitByQuotes(random, chosen) : chosen;
}

/** `l''s`, `"ls"`, `l"s"`: the same name to a shell. */
function splitByQuotes(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  const [head, tail] = [text.slice(0, at), text.slice(at)];
  return random.pick([`${head}''${tail}`, `"${text}"`, `${head}"${tail}"`, `'${head}'${tail}`, `''${text}`]);
}

function word(random: Random, risk: number): string {
  return random.some(1, random.pick([1, 1, 1, 2, 3]), () => piece(random, risk)).join("");
}

function piece(random: Random, risk: number): string {
  if (random.chance(risk))
    return random.pick(random.pick([TILDES, EXPANSIONS, REDIRECTS, ESCAPES, PATTERNS, RISKY_NAMES]));
  if (random.chance(0.05)) return random.pick(VARIABLES);
  if (random.chance(0.02)) return printed(random);
  if (random.chance(0.03)) return random.pick(ESCAPES);
  const kind = random.below(20);
  if (kind < 4) return random.pick(OPTIONS);
  if (kind < 11) return random.pick(OPERANDS);
  if (kind < 14) return `'${text(random, QUOTED).replaceAll("'", "")}'`;
  if (kind < 17) return `"${text(random, SIMPLE)}"`;
  if (kind < 18) return `"${text(random, [...QUOTED, ...DOUBLE_QUOTED]).replaceAll(/(?<!\\)"/g, "")}"`;
  return random.pick(kind < 19 ? PATTERNS : TILDES);
}

function text(random: Random, units: readonly string[]): string {
  return random.some(0, 6, () => random.pick(units)).join("");
}
