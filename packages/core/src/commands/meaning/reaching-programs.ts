/** Programs that stay on this machine and run nothing but commands of their own, whatever they are given. */
export const LOCAL: ReadonlySet<string> = new Set(
  (
    "ls cat head tail wc grep egrep fgrep rg sort uniq find tree du df stat file which echo printf pwd date cd mkdir rmdir " +
    "cp mv rm touch chmod ln basename dirname realpath readlink cut tr paste comm diff cmp nl tac rev seq sleep jq column " +
    "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum true false test [ : tsc id whoami uname ps sed " +
    "printenv awk gawk mawk tee nproc free uptime arch lscpu lsblk lsmem lsusb lspci vmstat iostat mpstat pidstat tty stty " +
    "tput locale getconf groups who w last users cal clear kill pkill killall pgrep pidof lsof ss netstat fuser " +
    "export unset readonly declare umask ulimit disown pushd popd dirs gzip gunzip zcat zgrep bzip2 bunzip2 bzcat " +
    "xz unxz xzcat zstd zstdcat lz4 lz4cat unzip tar xxd od hexdump strings base64 base32 expr bc factor numfmt shuf csplit " +
    "join expand unexpand fmt pr tsort look iconv dos2unix unix2dos mktemp mkfifo pathchk sync dd chown chgrp shred unlink " +
    "yes envsubst colrm hexyl fd eza exa gofmt shfmt " +
    // What these run is a command of its own.
    "truncate fold timeout nice xargs nohup stdbuf set wait exit type"
  ).split(" "),
);

const GIVEN_TEXT = /-[a-z]*c$/;

/** Programs that stay here with these words alone. */
export const LOCAL_FORMS: Readonly<Record<string, RegExp>> = {
  // Without a command it prints the environment; what it runs is a command of its own, as that of a shell.
  env: /^(?:(?:-0|--null)(?: |$))*$|^[^-]/,
  ...{ sh: GIVEN_TEXT, bash: GIVEN_TEXT, zsh: GIVEN_TEXT, dash: GIVEN_TEXT },
  ...{ ash: GIVEN_TEXT, ksh: GIVEN_TEXT, mksh: GIVEN_TEXT, fish: GIVEN_TEXT },
  crontab: /^-l$/,
  command: /^-[vV] [\w.+-]+$|^[^-]/,
  go: /^(?:version|env(?: [A-Z]\w*)*)$/,
  hostname: /^(?:-[a-zA-Z]+)?$/,
  ip: /^(?:-(?:[46acdjos]|br|brief|json|details) )*(?:a|addr|address|l|link|r|route|n|neigh)(?: (?:show|list|s|ls)\b.*)?$/,
  systemctl:
    /^(?:--(?:user|no-pager) )*(?:status|is-active|is-enabled|list-units|list-timers)(?: [\w@.-]+)*$/,
};

export const LOCAL_GIT: ReadonlySet<string> = new Set(
  (
    "status diff log show add commit branch stash checkout switch restore rev-parse rev-list blame ls-files ls-tree tag " +
    "merge rebase init grep reflog describe shortlog cat-file merge-base reset rm mv cherry-pick revert worktree"
  ).split(" "),
);

/** Options by which a command that stays here runs another, for those that have them. */
export const RUNNING: Readonly<Record<string, RegExp>> = {
  find: /^-(?:exec|ok)/,
  rg: /^(?:--pre|--hostname-bin|--search-zip|-[A-Za-z]*z)/,
  sort: /^--co/,
  fd: /^(?:-[a-zA-Z]*[xX]|--exec)/,
  tar: /^-[A-Za-z]*[IF]|^[A-Za-z]*[IF][A-Za-z]*$|^--(?:to|us|ch|inf|new|rs|rm)|:/,
  git: /^(?:--ex(?!clude|it)|--textconv|--op|--str|--show-sig|--gpg|-[A-Za-z]*[xO])/,
};

export const BRINGING: ReadonlySet<string> = new Set(
  (
    "curl wget http https xh aria2c scp sftp rsync ftp lftp ssh nc ncat netcat telnet socat lynx w3m links dig host nslookup " +
    "gh glab hub brew apt apt-get apk dnf yum pacman snap gem bundle composer pipx conda mamba helm kubectl aws gcloud az " +
    "gsutil rclone svn hg bunx pnpx uvx yt-dlp"
  ).split(" "),
);

export const FETCHING: ReadonlySet<string> = new Set(
  "curl wget aria2c scp sftp rsync lftp lynx w3m xh yt-dlp gh glab".split(" "),
);

/** Programs that run code which is given to them, or whatever a project says. */
export const RUNNING_OTHERS: ReadonlySet<string> = new Set(
  (
    "node nodejs deno bun python python2 python3 perl ruby php lua tclsh osascript sh bash zsh dash ash ksh fish pwsh awk gawk " +
    "mawk xargs parallel sudo doas su nohup setsid script watch ssh-agent openssl make npm npx pnpm yarn cargo go mvn gradle " +
    "docker podman ping drill mail mailx sendmail mutt tftp base64 xxd vim vi ed ex emacs nano"
  ).split(" "),
);

const INSTALLS = new Set(
  "add install i ci in it get update up upgrade dlx exec x create init view info outdated audit".split(" "),
);

/** Subcommands that take something in from outside. */
export const BRINGING_SUBCOMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  git: new Set("clone fetch pull ls-remote submodule remote archive lfs svn".split(" ")),
  npm: INSTALLS,
  pnpm: INSTALLS,
  yarn: INSTALLS,
  bun: INSTALLS,
  deno: INSTALLS,
  pip: new Set("install download wheel index search".split(" ")),
  pip3: new Set("install download wheel index search".split(" ")),
  uv: new Set("add sync pip tool lock run".split(" ")),
  poetry: new Set("add install update lock".split(" ")),
  cargo: new Set("add install fetch update search".split(" ")),
  go: new Set("get install mod work".split(" ")),
  docker: new Set("pull run build compose search".split(" ")),
  podman: new Set("pull run build compose search".split(" ")),
  terraform: new Set("init get".split(" ")),
};

/** Tools that a project has installed for itself. */
export const LOCAL_TOOLS: ReadonlySet<string> = new Set(
  "tsc eslint biome prettier vitest jest mocha ava vite webpack rollup esbuild tsx turbo nx knip".split(" "),
);

/** Programs that run code of the project, in addition to these. */
export const PROJECT_RUNNERS: ReadonlySet<string> = new Set(
  (
    "pytest ruff mypy tox nox just task rake rspec rubocop phpunit ctest gmake mvnw gradlew dotnet swift mix flutter dart " +
    "pdm hatch pre-commit vue-tsc svelte-check oxlint stylelint"
  ).split(" "),
);
