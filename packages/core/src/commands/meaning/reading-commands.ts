import { isHarmlessOperand } from "../options/harmless-operands.ts";
import { isHarmlessOption } from "../options/harmless-options.ts";
import { programOf } from "./command-args.ts";

const READING = new Set(
  (
    "cat bat head tail less more nl tac wc sort uniq cut grep egrep fgrep rg ag ack diff cmp comm ls tree " +
    "stat file du find jq xxd od hexdump strings cksum md5sum sha1sum sha256sum sha512sum echo printf test [ " +
    "basename dirname realpath readlink which type true :"
  ).split(" "),
);

const READING_GIT = new Set(
  "log show diff status blame grep ls-files ls-tree rev-parse rev-list describe shortlog cat-file check-ignore merge-base".split(
    " ",
  ),
);

/** They write to the repository, and leave the files that are named as they were. */
const RECORDING_GIT = new Set(["add", "commit", "tag", "push", "fetch"]);

/** Whether a command is known to leave the files it names as they were. */
export function leavesFilesAlone(argv: readonly string[]): boolean {
  return onlyReads(argv) || (programOf(argv) === "git" && RECORDING_GIT.has(argv[1] ?? ""));
}

/** Whether a command is known, by its name and its options, to change nothing at all. */
export function onlyReads(argv: readonly string[]): boolean {
  const program = programOf(argv);
  const isReading = program === "git" ? READING_GIT.has(argv[1] ?? "") : READING.has(program);
  return isReading && isHarmless(argv);
}

function isHarmless(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.every((word, index) => {
    if (index === 0 || index === end || word === "-") return true;
    const isOption = word.startsWith("-") && (end === -1 || index < end);
    return isOption ? isHarmlessOption(argv, index) : isHarmlessOperand(argv, index);
  });
}
