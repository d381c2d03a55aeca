/**
 * Programs that a client may run without a question because it knows some of their forms to only read. What a form of
 * them asks about is asked by us, because it is not known whether the client does.
 */
export const MAYBE_QUIET: ReadonlySet<string> = new Set(
  (
    "ls cat head tail wc nl tac grep egrep fgrep rg find fd tree du df stat file diff cmp comm sort uniq cut tr paste " +
    "column seq basename dirname realpath readlink jq yq awk gawk sed md5sum sha1sum sha256sum sha512sum pwd which " +
    "whereis type command date cal echo printf true false uname id whoami groups who w hostname hostid arch cd test [ " +
    "sleep nproc uptime free ps pgrep top lsof ss netstat ip ifconfig ping nslookup dig host xargs base64 base32 " +
    "hexdump od xxd strings less more man help history alias export env printenv set git gh glab docker podman " +
    "locale getconf tput stty tty rev fold fmt expand unexpand join pr tsort look sum cksum b2sum expr bc " +
    "time timeout nice nohup stdbuf"
  ).split(" "),
);

/** Programs of which only these first words may be run without a question. */
export const QUIET_FORMS: readonly (readonly [programs: RegExp, first: RegExp])[] = [
  [
    /^(?:npm|pnpm|yarn|bun)$/,
    /^(?:-.*|ls|list|view|info|show|outdated|audit|explain|why|config|search|ping)?$/,
  ],
  [/^(?:node|deno|python3?|ruby|perl|php|go|cargo|java)$/, /^(?:--?[vVh]\w*|version|help)?$/],
];

/** Programs that start another one. A client may look at them alone, and effects have only the other. */
export const WRAPPED = /(?:^|[\s;|&({])(?:time|timeout|nice|ionice|nohup|stdbuf|env|command|builtin|exec)\s/;

/** Programs that change files, which a client may run without a question where it accepts edits. */
export const FILE_PROGRAMS: ReadonlySet<string> = new Set(
  "mkdir touch rm rmdir mv cp ln tee chmod install".split(" "),
);
