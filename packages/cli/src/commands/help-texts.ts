export const SESSIONS_HELP = `
An id may be shortened to a beginning that only one session has, with or without the name of the client.

Examples:
  toolkeep sessions list --since 7d
  toolkeep sessions show claude-code.3f2a
  toolkeep sessions replay 3f2a
  toolkeep sessions verify
  toolkeep sessions export 3f2a > session.jsonl
  toolkeep sessions checkpoint --to /mnt/audit/checkpoints.jsonl --sign ~/.ssh/audit
  toolkeep sessions verify --checkpoint /mnt/audit/checkpoints.jsonl --key audit.pub
  toolkeep sessions export --bundle june.bundle --sign ~/.ssh/audit
  toolkeep sessions verify --bundle june.bundle --key audit.pub`;

export const CHECKPOINT_HELP = `
A checkpoint says where the record of every session ends. Kept where users of this machine cannot change it, it shows
which sessions were removed, cut, rewritten or renamed since: run \`sessions verify --checkpoint FILE --key PUB\`.

Make a key for it: ssh-keygen -t ed25519 -f audit-key`;

export const ERASE_HELP = `
Arguments, results, questions and answers are replaced by their hashes. That they were, when and by whom stays in the
record, and \`sessions verify\` accepts exactly that. Sessions that \`audit.hold\` names are not erased.`;

export const LOG_HELP = `
Calls are shown oldest first, each with what decided about it and what became of it. --tool and --decision may be
repeated or have several values with commas; a call must match all options that are given.

Examples:
  toolkeep log --last 50
  toolkeep log --since 2h --decision asked,denied
  toolkeep log --follow --tool bash
  toolkeep log --follow --json --last 0 | jq .tool
  toolkeep log ship --to https://collector.example/v1/logs --format otlp`;

export const SHIP_HELP = `
Sends the events that were not sent to this place yet, and ends: run it from a timer. Each event has an id that never
changes (session, its beginning and number); after a crash some are sent again, under the same ids.

Without options, \`audit.sink\` and \`audit.format\` of the administrator's configuration apply.`;

export const COLLECT_HELP = `
Reads the record of each user in a process with that user's rights, and signs and sends with root's. The process of a
user gets neither the key nor TOOLKEEP_AUDIT_TOKEN. Exits with 1 if a store was removed, if a session was cut or
rewritten since the last time, or if a record could not be read. The records of the other users are collected all the same.

Examples:
  toolkeep audit collect --sign /etc/toolkeep/audit-key
  toolkeep audit collect --user ada --to '/mnt/audit/{user}.jsonl' --sign /etc/toolkeep/audit-key
  toolkeep audit collect --sign /etc/toolkeep/audit-key --sink https://siem.example/ocsf --format ocsf`;

export const DOCTOR_HELP = `
Plays a forbidden call through each installed hook, exactly as its client starts it: the call reads a key that does not
exist, and is never run. Probes the sandbox, and looks at policy, trust, launcher, servers and settings.
Exits with 0 if everything guards, and with 1 if something does not.

Examples:
  toolkeep doctor                  Is this project guarded?
  toolkeep doctor --json | jq .findings`;

export const TRUST_HELP = `
Without a command, it shows what is new or changed in the project of the current directory, and asks.

Examples:
  toolkeep trust
  toolkeep trust list
  toolkeep trust revoke --project ~/old-shop`;

export const INIT_HELP = `
Finds the clients that are used here and their MCP servers, shows all changes as one diff, and makes them once you
confirm. \`toolkeep uninstall CLIENT\` restores the files of a client byte for byte.

Examples:
  toolkeep init                    Install for every client that is found.
  toolkeep init codex cursor       Install for these two.
  toolkeep init --dry-run          Show the changes, and write nothing.
  toolkeep init --confine          Also run commands in a sandbox, where a client can do that.
  toolkeep init --observe          Begin by recording what would be stopped.
  toolkeep init --rules            Also add the rules that \`toolkeep scan\` suggests, one by one.`;

export const POLICY_HELP = `
Examples:
  toolkeep policy check policy.yaml
  toolkeep policy enable policy.yaml        Let it decide in this project.
  toolkeep policy test policy.yaml --format junit > report.xml
  toolkeep policy explain 'git push origin main'
  toolkeep policy explain --as ada@example.com --group finance --at 2026-12-24T18:30Z 'git push'
  toolkeep policy diff policy.yaml new-policy.yaml --sessions
  toolkeep policy suggest
  toolkeep policy import claude .claude/settings.json

Only \`enable\` and \`disable\` change a file, and \`import --write\`. To add a rule, run \`toolkeep allow\`.`;

export const TOOLS_HELP = `
Shows the standard tools, the tools in your folder and in that of the project, and those of the MCP servers behind the
gateway: what each may do, and whether a rule allows, asks about or denies every call of it. Nothing of a project is
read before you trust it, and no server is started without --connect.

Examples:
  toolkeep tools
  toolkeep tools --connect                 Start the accepted servers first, to see their present tools.
  toolkeep tools why github_create_issue   Why is it there, or not?
  toolkeep tools why notes                 Why is this server off?`;

export const APPROVALS_HELP = `
Examples:
  toolkeep approvals                show each request and answer it with a key: y, n, w, s, p
  toolkeep approvals --watch        keep a terminal open for whatever agents ask
  toolkeep approvals list --json    the pending requests, for a program
  toolkeep approvals show ID        one request, who must approve it, and who has signed
  toolkeep approvals --always       what is allowed without asking in this project
  toolkeep approvals revoke ID      ask about it again`;

export const CALL_HELP = `
Examples:
  toolkeep call read src/index.ts
  toolkeep call bash 'npm test' --dry-run
  echo '{"path":"notes.md","content":"…"}' | toolkeep call write -

The call is decided by the policy of the project, runs in its workspace (commands in the sandbox) and is recorded.
Exit code 3: denied. 4: it needs approval, and this is not a terminal.`;

export const CONFIG_HELP = `
Shows every setting with its value, the file and the line that it comes from, and what it overrides; the policy files in
their order; and the variables of the environment that are set. Secrets are hidden. Nothing of a project is read before
you trust it. Exits with 1 if a file is invalid.

Examples:
  toolkeep config show
  toolkeep config show --json | jq '.settings[] | select(.key == "mode")'`;

export const CATALOG_HELP = `
An entry says what the commands of a program do: which only look, which change or destroy something, and which files
they open. A command that the entry of its program knows wholly is decided by what it does, and any other one asks.

Examples:
  toolkeep catalog
  toolkeep catalog show kubectl
  toolkeep catalog show kubectl --json
  toolkeep catalog check shopctl.json`;

export const SCAN_HELP = `
Reads what Claude Code, Codex, Gemini CLI and opencode recorded on this machine, and decides about every call as their
hooks would. Nothing is installed, written, run or sent, and no project becomes trusted.

Examples:
  npx toolkeep scan
  npx toolkeep scan --since 7d
  npx toolkeep scan --policy policy.yaml --json`;

export const COMPLETION_HELP = `
Examples:
  toolkeep completion bash > ~/.local/share/bash-completion/completions/toolkeep
  toolkeep completion zsh >> ~/.zshrc
  toolkeep completion fish > ~/.config/fish/completions/toolkeep.fish

The script starts no program: run the command again after an update.`;
