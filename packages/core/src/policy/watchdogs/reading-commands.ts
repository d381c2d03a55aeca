import { isHarmlessOperand } from "../../commands/harmless-operands.ts";
import { isHarmlessOption } from "../../commands/harmless-options.ts";
import { programOf } from "./command-words.ts";

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
  const program = programOf(argv);
  if (program === "git") {
    const subcommand = argv[1] ?? "";
    return RECORDING_GIT.has(subcommand) || (READING_GIT.has(subcommand) && isHarmless(argv));
  }
  return READING.has(program) && isHarmless(argv);
}

function isHarmless(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.every((word, index) => {
    if (index === 0 || index === end || word === "-") return true;
    const isOption = word.startsWith("-") && (end === -1 || index < end);
    return isOption ? isHarmlessOption(argv, index) : isHarmlessOperand(argv, index);
  });
}
