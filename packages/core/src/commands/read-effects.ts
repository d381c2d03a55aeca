/** Commands that read the files they are given; how many operands before those are no files. */
const READERS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    (
      "cat head tail wc nl tac less more ls tree du stat file diff cmp comm sort uniq cut paste column od xxd strings " +
      "md5sum sha1sum sha256sum sha512sum realpath readlink find"
    )
      .split(" ")
      .map((name) => [name, 0]),
  ),
  // The first operand of these is a pattern or a program.
  ...Object.fromEntries("grep egrep fgrep rg sed awk jq yq".split(" ").map((name) => [name, 1])),
};

const GIVEN_BY_OPTION = /^(?:-e|-f|--regexp|--file|--expression|--files)(?:=|$)/;

/**
 * The files outside of the folder a command runs in that it reads, as far as its words say: absolute
 * paths, and those that climb. What lies in the folder is the command's own business.
 */
export function outsideReads(argv: readonly string[]): readonly string[] {
  const [name = "", ...words] = argv;
  const skipped = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (skipped === undefined) return [];
  const operands = words.filter((word) => !word.startsWith("-"));
  const files = words.some((word) => GIVEN_BY_OPTION.test(word)) ? operands : operands.slice(skipped);
  return files.filter((path) => path !== "/dev/null" && leadsOutside(path));
}

function leadsOutside(path: string): boolean {
  return path.startsWith("/") || /(?:^|\/)\.\.(?:\/|$)/.test(path);
}
