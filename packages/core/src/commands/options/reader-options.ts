/*
 * Options of commands that look at files and print. Left out on purpose: what names a file to write
 * (`sort -o`, `tree -o`), a program to run (`sort --compress-program`, `rg --pre`), or a file to take
 * options or patterns from. The notation is in `harmless-options.ts`.
 */

const COUNTED = "-qvz -# -n: -c: --lines= --bytes= --quiet --silent --verbose --zero-terminated";

const SUM = "-btz --binary --text --tag --zero";

export const READER_OPTIONS: Readonly<Record<string, string>> = {
  ls:
    "-1aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ -I: -T: -w: --all --almost-all --author --block-size= --classify= --color= " +
    "--directory --file-type --format= --full-time --group-directories-first --hide= --human-readable --ignore= --inode " +
    "--no-group --numeric-uid-gid --quote-name --quoting-style= --recursive --reverse --si --size --sort= --time= " +
    "--time-style= --width=",
  cat: "-AbeEnstTuv --show-all --number --number-nonblank --squeeze-blank --show-ends --show-tabs --show-nonprinting",
  head: COUNTED,
  tail: `${COUNTED} -fFr -s: --follow= --retry --pid= --sleep-interval=`,
  wc: "-clLmw --bytes --chars --lines --max-line-length --words --total=",
  nl: "-p -b: -h: -f: -i: -n: -s: -v: -w:",
  tac: "-br -s:",
  grep:
    "-EFGPabcHhiILlnoqRrsTUvwxyzZ -# -e: -m: -A: -B: -C: -d: -D: --extended-regexp --fixed-strings --basic-regexp " +
    "--perl-regexp --regexp= --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp --count --color= " +
    "--colour= --files-with-matches --files-without-match --max-count= --only-matching --quiet --silent --no-messages " +
    "--byte-offset --with-filename --no-filename --label= --line-number --initial-tab --null --after-context= " +
    "--before-context= --context= --text --binary-files= --recursive --dereference-recursive --include= --exclude= " +
    "--exclude-dir= --line-buffered --null-data",
  rg:
    "-nNisSlcovwxquUFPHIpaLb0.h -e: -g: -t: -T: -A: -B: -C: -m: -M: -d: -j: -r: -E: --line-number --no-line-number " +
    "--ignore-case --case-sensitive --smart-case --files --files-with-matches --files-without-match --count " +
    "--count-matches --only-matching --invert-match --word-regexp --line-regexp --quiet --unrestricted --multiline " +
    "--multiline-dotall --fixed-strings --pcre2 --with-filename --no-filename --pretty --text --follow --null --hidden " +
    "--no-hidden --no-ignore --no-ignore-vcs --no-ignore-parent --no-ignore-global --no-messages --no-config --heading " +
    "--no-heading --column --no-column --vimgrep --json --stats --trim --crlf --byte-offset --passthru --regexp= --glob= " +
    "--iglob= --type= --type-not= --type-list --after-context= --before-context= --context= --max-count= --max-columns= " +
    "--max-columns-preview --max-depth= --max-filesize= --threads= --replace= --encoding= --color= --colors= --sort= " +
    "--sortr= --engine= --context-separator= --path-separator= --one-file-system --include-zero --version --help",
  sort:
    "-bdfgiMhnRrVcCmsuz -k: -t: --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort " +
    "--ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort= " +
    "--version-sort --check= --key= --field-separator= --merge --stable --unique --zero-terminated --parallel=",
  uniq:
    "-cdDiuz -f: -s: -w: --count --repeated --all-repeated= --ignore-case --unique --skip-fields= --skip-chars= " +
    "--check-chars= --zero-terminated --group=",
  cut: "-nsz -b: -c: -d: -f: --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter=",
  tr: "-cCdst --complement --delete --squeeze-repeats --truncate-set1",
  paste: "-sz -d: --serial --delimiters=",
  comm: "-123z --check-order --nocheck-order --output-delimiter= --total",
  column: "-tx -s: -c: -o: --table --separator= --output-separator=",
  diff:
    "-abBcdeEinNpqrstTuwyZ -C: -U: -W: -x: -I: --brief --color= --unified= --context= --recursive --new-file --text " +
    "--ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --side-by-side --width= --exclude= " +
    "--report-identical-files --suppress-common-lines --strip-trailing-cr --minimal",
  cmp: "-bls -n: -i: --print-bytes --verbose --quiet --silent --bytes= --ignore-initial=",
  tree:
    "-adfilxCnpshugDFrtcUvJXQNqAS -L! -P! -I! --noreport --dirsfirst --filesfirst --filelimit= --prune --gitignore " +
    "--ignore-case --matchdirs --si --du --charset= --sort=",
  du:
    "-abchHklLmPsSx0 -d: -t: -B: --all --apparent-size --bytes --total --max-depth= --human-readable --summarize " +
    "--separate-dirs --one-file-system --threshold= --time= --exclude= --si --dereference",
  df: "-ahHiklPT -B: -t: -x: --all --human-readable --si --inodes --local --portability --print-type --total --type= --exclude-type=",
  stat: "-Ltx -f: -c: --dereference --file-system --format= --printf= --terse",
  file:
    "-biIhkLNr0E --brief --mime --mime-type --mime-encoding --extension --dereference --no-dereference --keep-going " +
    "--no-pad --raw --print0",
  realpath:
    "-emsqzLP --canonicalize-existing --canonicalize-missing --relative-to= --relative-base= --no-symlinks --quiet --zero",
  readlink: "-femnqsvz --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --zero",
  basename: "-az -s: --multiple --suffix= --zero",
  dirname: "-z --zero",
  md5sum: SUM,
  sha1sum: SUM,
  sha256sum: SUM,
  sha512sum: SUM,
  jq:
    "-ceSsnRarjMC --compact-output --exit-status --sort-keys --slurp --null-input --raw-input --raw-output " +
    "--join-output --ascii-output --monochrome-output --color-output --tab --indent --arg --argjson --args --jsonargs",
  which: "-as --all",
  pwd: "-LP",
  date: "-uRj -I: -d: -r: --date= --utc --universal --iso-8601= --rfc-3339= --rfc-email --reference=",
  seq: "-w -f: -s: --equal-width --format= --separator=",
  // Not `-o`: one of its columns is the environment.
  ps: "-AaeflxwTj -p: -C: --sort= --no-headers --forest",
  id: "-uGgnrz --user --group --groups --name --real",
  uname: "-asnrvmpio --all --kernel-name --kernel-release --machine",
  mkdir: "-pv -m: --parents --verbose --mode=",
  touch: "-acm -d: -t: --no-create --date=",
  rm: "-dfiIrRv --force --recursive --verbose --dir",
  rmdir: "-pv --parents --verbose",
  // Not `-t`, which names the target, and nothing that copies trees: what they write through links is told by no word.
  cp: "-finpTuv --force --verbose --no-clobber --interactive --update",
  mv: "-finTuv --force --verbose --no-clobber --interactive --update",
  tee: "-ai --append --ignore-interrupts",
  truncate: "-c -s: --no-create --size=",
};
