import { posix } from "node:path";
import type { SimpleCommand } from "@toolkeep/core/ports";

/**
 * Programs whose work is with other processes, services, accounts or keys of this machine: in a sandbox they only fail.
 * Commands that use them are decided as without a sandbox.
 */
const OF_MACHINE: ReadonlySet<string> = new Set([
  ...["docker", "docker-compose", "podman", "nerdctl", "kubectl", "helm", "minikube", "kind", "vagrant"],
  ...[
    "ssh",
    "scp",
    "sftp",
    "rsync",
    "ssh-add",
    "ssh-agent",
    "ssh-keygen",
    "gpg",
    "pass",
    "op",
    "aws",
    "gcloud",
  ],
  ...["az", "gh", "glab", "hub", "heroku", "fly", "flyctl", "vercel", "netlify", "wrangler", "terraform"],
  ...["ps", "top", "htop", "pgrep", "pkill", "kill", "killall", "lsof", "ss", "netstat", "fuser", "who", "w"],
  ...["systemctl", "journalctl", "service", "launchctl", "crontab", "at", "sudo", "su", "doas", "dmesg"],
  ...["apt", "apt-get", "dnf", "yum", "apk", "pacman", "zypper", "brew", "snap", "mount", "umount"],
  ...["open", "xdg-open", "code", "cursor", "tmux", "screen", "nohup", "setsid", "disown", "daemonize"],
  ...["psql", "mysql", "mariadb", "redis-cli", "mongosh", "mongo", "toolkeep"],
  ...["claude", "gemini", "codex", "copilot", "opencode"],
  ...["ip", "ifconfig", "ping", "dig", "nslookup", "host", "nc", "telnet", "uptime", "df", "free"],
]);

const REMOTE_GIT: ReadonlySet<string> = new Set([
  ...["push", "pull", "fetch", "clone", "ls-remote", "submodule", "credential", "send-email", "lfs"],
]);

/** The machine's own servers cannot be reached from a sandbox. */
const LOCAL_HOST = /(?:localhost|127\.\d+\.\d+\.\d+|\[::1?\]|0\.0\.0\.0)(?::|\/|$)/;
const REQUESTING: ReadonlySet<string> = new Set(["curl", "wget", "http", "https", "xh"]);

const RUNNERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun", "deno", "make", "just", "task"]);
/** Servers that the user, a browser or another command wants to reach. */
const SERVING = /^(?:dev|start|serve|server|preview|storybook|up)(?::|$)/;

/** Ends with a single `&`: what it starts is to go on afterwards. */
const IN_BACKGROUND = /(?:^|[^&>|<\\])&\s*$/;

/** Whether a command line needs more of the machine than a sandbox gives, whatever is allowed to it. */
export function needsMachine(line: string, commands: readonly SimpleCommand[]): boolean {
  return IN_BACKGROUND.test(line) || commands.some(({ argv }) => isOfMachine(argv));
}

function isOfMachine([program = "", ...args]: readonly string[]): boolean {
  const name = posix.basename(program);
  if (OF_MACHINE.has(name)) return !(args.length === 1 && /^(?:-v|--version)$/.test(args[0] ?? ""));
  if (name === "git") return args.some((arg) => REMOTE_GIT.has(arg));
  if (REQUESTING.has(name)) return args.some((arg) => LOCAL_HOST.test(arg));
  return RUNNERS.has(name) && args.some((arg) => SERVING.test(arg));
}
