import { expression, rowsByName, OPERAND_CHECKS as table } from "@toolkeep/catalog/internal";
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

const onlyOperand: Check = (argv, index) =>
  argv.slice(1, index).every((word) => word.startsWith("-") && word !== "-") &&
  !/[*?[{]/.test(argv[index] ?? "");

const INSTALLS = expression(table.installs);
const PACKAGE = /^(?:@[\w.~-]+\/)?\w[\w.~-]*(?:@[\w.~^<>=|*+-]+)?$/;
const ARCHIVE = /\.(?:tgz|tar|gz)$/i;

/** A package of the registry, by its name: an address, a repository, a folder or an archive is other code. */
const packageOperand: Check = (argv, index) => {
  const operand = argv[index] ?? "";
  const isInstalled = index > 1 && argv.slice(1, index).some((word) => INSTALLS.test(word));
  return !isInstalled || (PACKAGE.test(operand) && !ARCHIVE.test(operand));
};

/** Where one operand says nothing without the words around it. */
const AROUND = {
  /** The second operand is written or run. */
  onlyOperand,
  package: packageOperand,
  /** Anything else sets the clock. */
  date: (argv, index) =>
    argv[index]?.startsWith("+") === true || /^(?:-d|-r|--date|--reference)$/.test(argv[index - 1] ?? ""),
  /** Old-style letters need no dash, and `I` among them names a program. */
  tar: (argv, index) => index !== 1 || /^[cxtvfzjJkpmOa]+$/.test(argv[index] ?? ""),
} satisfies Readonly<Record<string, Check>>;

const CHECKS: Readonly<Record<string, Check>> = {
  ...rowsByName(table.around as Readonly<Record<string, keyof typeof AROUND>>, (check) => AROUND[check]),
  ...rowsByName(table.operands, (text): Check => {
    const harmless = expression(text);
    return (argv, index) => harmless.test(argv[index] ?? "");
  }),
};
