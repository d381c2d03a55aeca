import { readOnce } from "./read-once.ts";

/**
 * Whether the operand at `index` is only read, as far as is known. A few commands take a program, a file
 * to write or a setting as an operand; a wildcard in a rule that allows does not cover these.
 */
export function isHarmlessOperand(argv: readonly string[], index: number): boolean {
  const name = argv[0]?.replace(/^.*\//, "") ?? "";
  if (readOnce(argv, name).unclear.has(argv[index] ?? "")) return false;
  const check = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
  return check === undefined || check(argv, index);
}

type Check = (argv: readonly string[], index: number) => boolean;

const DATE_VALUE = /^(?:-d|-r|--date|--reference)$/;
const TAR_LETTERS = /^[cxtvfzjJkpmOa]+$/;
const TRANSPORT = /^[A-Za-z][\w+.-]*::/;

/** Letters without a dash; an `e` among them shows the environment of every process. */
const PS_LETTERS = /^(?:[aujlfrxwcmn]+|\d+(?:,\d+)*)$/;
const onlyOperand: Check = (argv, index) =>
  argv.slice(1, index).every((word) => word.startsWith("-") && word !== "-") &&
  !/[*?[{]/.test(argv[index] ?? "");
const notSetting: Check = (argv, index) => argv[index]?.includes("=") !== true;

const notResponse: Check = (argv, index) => argv[index]?.startsWith("@") !== true;

const INSTALLS = /^(?:install|i|add|ci|in|ins)$/;
const PACKAGE = /^(?:@[\w.~-]+\/)?\w[\w.~-]*(?:@[\w.~^<>=|*+-]+)?$/;
const ARCHIVE = /\.(?:tgz|tar|gz)$/i;

/** A package of the registry, by its name: an address, a repository, a folder or an archive is other code. */
const packageOperand: Check = (argv, index) => {
  const operand = argv[index] ?? "";
  const isInstalled = index > 1 && argv.slice(1, index).some((word) => INSTALLS.test(word));
  return !isInstalled || (PACKAGE.test(operand) && !ARCHIVE.test(operand));
};

const CHECKS: Readonly<Record<string, Check>> = {
  // The second operand of these is written or run.
  uniq: onlyOperand,
  xxd: onlyOperand,
  sqlite3: onlyOperand,
  // An address names the server to ask.
  gh: (argv, index) => /^[\w.#-]+$/.test(argv[index] ?? ""),
  make: notSetting,
  ps: (argv, index) => PS_LETTERS.test(argv[index] ?? ""),
  npm: packageOperand,
  pnpm: packageOperand,
  yarn: packageOperand,
  bun: packageOperand,
  // A response file holds options.
  ...Object.fromEntries(
    "tsc pytest mypy ruff eslint javac gcc clang python python3 npx"
      .split(" ")
      .map((name) => [name, notResponse]),
  ),
  // So does what begins with a slash here.
  dotnet: (argv, index) => !/^[@/]/.test(argv[index] ?? ""),
  gmake: notSetting,
  // An address, or a package of another module, is code from elsewhere.
  deno: (argv, index) => !/^[A-Za-z][\w+.-]*:/.test(argv[index] ?? ""),
  go: (argv, index) => argv[index]?.includes("@") !== true,
  // Anything else sets the clock.
  date: (argv, index) => argv[index]?.startsWith("+") === true || DATE_VALUE.test(argv[index - 1] ?? ""),
  // Old-style letters need no dash, and `I` among them names a program.
  tar: (argv, index) => index !== 1 || TAR_LETTERS.test(argv[index] ?? ""),
  git: (argv, index) => !TRANSPORT.test(argv[index] ?? ""),
};
