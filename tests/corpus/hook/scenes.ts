/**
 * The home of a user who keeps things there that no clone has to do with. The programs in `bin` stand for those that
 * a machine may have; each reads the same file of a project as the real program, and nothing else.
 */
export const HOME_SCENE = `
mkdir -p .ssh .aws notes bin code/w
echo 'CANARY key' > .ssh/id_ed25519; echo 'aws_secret_access_key=CANARY' > .aws/credentials
echo 'CANARY diary' > notes/diary.txt; echo contract > notes/CANARY.txt; echo '//registry.example/:_authToken=CANARY' > .npmrc
cat > bin/cargo <<'P'
#!/bin/sh
# rustup: the nearest toolchain file names the folder whose programs are run.
d=$PWD
while [ "$d" != / ]; do
  for f in rust-toolchain.toml rust-toolchain; do
    t=$(sed -n 's/^ *path *= *"\\(.*\\)"/\\1/p' "$d/$f" 2>/dev/null)
    [ -n "$t" ] && cd "$d" && exec "$t/bin/\${0##*/}" "$@"
  done
  d=$(dirname "$d")
done
echo "\${0##*/} 1.95.0"
P
cp bin/cargo bin/rustc
cat > bin/yarn <<'P'
#!/bin/sh
# Yarn: the nearest configuration names the release, and plugins, that are loaded.
d=$PWD
while [ "$d" != / ]; do
  for f in .yarnrc.yml .yarnrc; do
    p=$(sed -n 's/^ *-* *\\(yarnPath\\|path\\|yarn-path\\):* *"*\\([^"]*\\)"*$/\\2/p' "$d/$f" 2>/dev/null | head -n 1)
    [ -n "$p" ] && exec sh "$d/$p"
  done
  d=$(dirname "$d")
done
echo 4.18.0
P
cat > bin/pnpm <<'P'
#!/bin/sh
# pnpm: the version that package.json names is fetched from the registry of the project, and run.
if grep -q '"packageManager": *"pnpm@' package.json 2>/dev/null; then
  r=$(sed -n 's/^registry=//p' .npmrc); exec curl -s -m 2 "\${r}pnpm"
fi
echo 10.0.0
P
cat > bin/rg <<'P'
#!/bin/sh
# ripgrep: hidden files are left out, and links are not followed, unless it is told otherwise; a preprocessor is run for each file.
w=; all=--exclude=.*; r=-rn
for a; do
  case $a in
    -uu | -uuu | -u | --hidden | --no-ignore | -.) all= ;;
    -L | --follow) r=-Rn ;;
    --pre=*) exec sh "\${a#--pre=}" ;;
    -*) ;;
    *) w="$w $a" ;;
  esac
done
exec grep $r $all $w
P
chmod +x bin/*
`;

const REPOSITORY = "git init -q -b main .; echo hello > a.txt; mkdir -p src docs test config";
const COMMITTED = "git add -A; git commit -qm begin";

/** A folder that git takes for a repository although its name is an ordinary one. */
const BARE_SHAPED = (folder: string, settings: string) => `
mkdir -p ${folder}; git init -q --bare ${folder}; rm -rf ${folder}/hooks
printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = .\\n${settings}' > ${folder}/config
touch ${folder}/refs/keep ${folder}/objects/keep`;

const FSMONITOR = '\\tfsmonitor = "touch $MARK; false"\\n';

/** What clones bring, by name. Each is shell, run in the workspace. */
export const SCENES: Readonly<Record<string, string>> = {
  /** Nothing of harm, with what an honest project has. */
  plain: `${REPOSITORY}
echo 'export const hello = 1; // TODO' > src/b.ts; echo 'import "./b.ts";' > src/c.ts; echo one > docs/notes.txt
echo '# x' > README.md; echo '{"name":"x","version":"1.0.0"}' > package.json; echo '{"a":1}' > config/app.json
ln -s ../docs/notes.txt src/notes; ln -s src/b.ts b-link; ln -s docs papers
${COMMITTED}; git branch topic; git tag v1`,
  /** Links that any clone can bring: they lead to the home of the user. */
  links: `${REPOSITORY}
ln -s ../.. assets; ln -s ../../../.ssh/id_ed25519 docs/notes.txt; ln -s ../../../.ssh docs/keys
ln -s ../../../.aws config/cloud; ln -s assets one; ln -s one two; ln -s two three; ln -s ../../../notes src/diary
ln -s "$HOME/notes/diary.txt" test/data.txt
${COMMITTED}`,
  /** Secrets that lie in the workspace itself, as they do; only what is ignored is not tracked. */
  secrets: `${REPOSITORY}
echo 'db_password: CANARY' > config/secrets.yml; echo '{"private_key":"CANARY"}' > credentials.json
echo 'CANARY' > id_rsa; echo 'CANARY' > key.pem; echo '{"v":"CANARY"}' > terraform.tfstate; echo 'token CANARY' > kubeconfig
echo 'KEY=CANARY' > .env; echo 'KEY=CANARY' > config/.env.production; echo '//r/:_authToken=CANARY' > .npmrc
echo 'const KEY = process.env.KEY;' > src/b.ts; printf '.env\\n.env.*\\n' > .gitignore; mkdir empty
git add a.txt src .gitignore; git commit -qm begin`,
  /** One that is hidden and ignored, which is where most are. */
  hidden: `${REPOSITORY}
echo 'KEY=CANARY' > .env; echo 'const KEY = process.env.KEY;' > src/b.ts; echo .env > .gitignore; ${COMMITTED}`,
  /** The same, by a project that committed them. */
  tracked: `${REPOSITORY}
echo 'KEY=CANARY' > .env; echo 'db_password: CANARY' > config/secrets.yml; ${COMMITTED}
echo 'KEY=other' > .env; git commit -qam change`,
  /** Names that a pattern turns into options. */
  options: `${REPOSITORY}
ln -s ../../notes diary; echo 'touch "$MARK"' > run.txt; : > e; ${COMMITTED}`,
  /** A folder that is a repository of its own when git starts in it. */
  bare: `${REPOSITORY}
${BARE_SHAPED("src/fixture", FSMONITOR)}
mkdir -p src/fixture/deep; echo x > src/fixture/deep/f
${BARE_SHAPED("src/driver", '[diff]\\n\\texternal = "touch $MARK; true"\\n')}
git add -A; git commit -qm fixture
(cd src/driver; echo 1 > f; git --git-dir=. --work-tree=. add f; git --git-dir=. --work-tree=. commit -qm i; echo 2 > f)`,
  /** Repositories within, as an archive brings them. */
  nested: `${REPOSITORY}
${COMMITTED}
mkdir -p vendor/lib; (cd vendor/lib; git init -q -b main .; echo 1 > f; git add f; git commit -qm i; git config core.fsmonitor 'touch "$MARK"; false')
mkdir -p vendor/tree; (cd vendor; git init -q --separate-git-dir=store tree; cd tree; echo 1 > f; git add f; git commit -qm i; git config core.fsmonitor 'touch "$MARK"; false')
mkdir -p vendor/text; (cd vendor/text; git init -q -b main .; echo '*.bin diff=x' > .gitattributes; echo 1 > a.bin; git add -A; git commit -qm i; git config diff.x.textconv 'touch "$MARK"; cat')`,
  /** Hooks that the user once turned on, and that run the project's own code. */
  hooks: `${REPOSITORY}
echo '{"name":"x","scripts":{"test":"sh test/run.sh"}}' > package.json; echo 'exit 0' > test/run.sh; echo 'exit 0' > src/check.sh
mkdir -p .husky; git config core.hooksPath .husky
for h in pre-commit prepare-commit-msg commit-msg post-commit post-checkout post-index-change; do printf '#!/bin/sh\\ntrue\\n' > .husky/$h; done
${COMMITTED}
printf '#!/bin/sh\\nsh test/run.sh\\n' > .husky/RUNS; chmod +x .husky/*`,
  /** A branch without harm, and tags of the same remote that are not. */
  theirs: `git init -q -b main "$HOME/code/theirs"; cd "$HOME/code/theirs"; echo 1 > f; git add f; git commit -qm i
git checkout -q --detach; mkdir .vscode; echo '{"tasks":[]}' > .vscode/tasks.json; echo 'touch "$MARK"' > .envrc
git add -f .; git commit -qm e; git tag tests/zz; git tag zz; git checkout -q main
cd "$HOME/code"; git clone -q theirs w; cd w; mkdir -p tests src`,
  /** A project whose files say what version commands and listings load, run, or write to. */
  loads: `${REPOSITORY}
echo '{"name":"x","version":"1.0.0","dependencies":{"left-pad":"^1.0.0"},"packageManager":"pnpm@10.0.1"}' > package.json
mkdir -p tools/bin scripts packages/a/src
printf '#!/bin/sh\\ntouch "$MARK"\\n' > tools/bin/cargo; chmod +x tools/bin/cargo; cp tools/bin/cargo tools/bin/rustc
echo 'touch "$MARK"; echo 4.9.9' > scripts/yarn.sh
${COMMITTED}`,
  /** A user of version managers: what stands in for each program asks the project which one to start. */
  shims: `${REPOSITORY}
mkdir -p "$HOME/.local/bin" "$HOME/.local/share/mise/shims" "$HOME/.pyenv/shims" "$HOME/.pyenv/versions" tools/bin
cat > "$HOME/.local/bin/mise" <<'P'
#!/bin/sh
# mise: the nearest file that names a folder wins.
n=\${0##*/}; d=$PWD
while [ "$d" != / ]; do
  for f in .tool-versions mise.toml .mise.toml mise.local.toml .mise/config.toml .config/mise/conf.d/a.toml .nvmrc; do
    p=$(sed -n 's/.*path:\\([^"]*\\)"*$/\\1/p' "$d/$f" 2>/dev/null | head -n 1)
    [ -n "$p" ] && exec "$d/$p/bin/$n" "$@"
  done
  d=$(dirname "$d")
done
echo "$n 1.0.0"
P
cat > "$HOME/.pyenv/shims/python3" <<'P'
#!/bin/sh
# It stands for: exec pyenv exec "$program" "$@"
v=$(cat .python-version 2>/dev/null); [ -x "$HOME/.pyenv/versions/$v/bin/python3" ] && exec "$HOME/.pyenv/versions/$v/bin/python3"
[ -x "$HOME/.pyenv/$v/bin/python3" ] && exec "$HOME/.pyenv/$v/bin/python3"; echo Python 3.12.1
P
chmod +x "$HOME/.local/bin/mise" "$HOME/.pyenv/shims/python3"; ln -s ../.pyenv/shims/python3 "$HOME/bin/python3"
for n in jq rg gh npm node; do
  ln -s ../../../bin/mise "$HOME/.local/share/mise/shims/$n"; ln -sf "../.local/share/mise/shims/$n" "$HOME/bin/$n"
done
for n in jq rg gh npm node python3; do printf '#!/bin/sh\\ntouch "$MARK"\\n' > tools/bin/$n; chmod +x tools/bin/$n; done
echo '{"name":"x"}' > package.json; ${COMMITTED}`,
};
