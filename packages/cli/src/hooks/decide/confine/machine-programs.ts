/**
 * Programs whose work is with other processes, services, accounts or keys of this machine: in a sandbox they only fail.
 * Commands that use them are decided as without a sandbox.
 */
export const OF_MACHINE: ReadonlySet<string> = new Set([
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

export const REMOTE_GIT: ReadonlySet<string> = new Set([
  ...["push", "pull", "fetch", "clone", "ls-remote", "submodule", "credential", "send-email", "lfs"],
]);

export const REQUESTING: ReadonlySet<string> = new Set(["curl", "wget", "http", "https", "xh"]);

export const RUNNERS: ReadonlySet<string> = new Set([
  "npm",
  "pnpm",
  "yarn",
  "bun",
  "deno",
  "make",
  "just",
  "task",
]);

/** Servers that the user, a browser or another command wants to reach. */
export const SERVING = /^(?:dev|start|serve|server|preview|storybook|up)(?::|$)/;

/** Ends with a single `&`: what it starts is to go on afterwards. */
export const IN_BACKGROUND = /(?:^|[^&>|<\\])&\s*$/;
