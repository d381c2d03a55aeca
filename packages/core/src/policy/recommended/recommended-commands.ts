/* The commands of the recommended policy, as patterns of `shell.run`. */

/**
 * Commands that read files and print. None of them loads code or settings of the project: those are under
 * `BUILDING`, also with `--version` only.
 */
export const LOOKING = [
  "{ls,cat,head,tail,wc,nl,tac,grep,egrep,fgrep,rg,find,tree,du,df,stat,file,diff,cmp,comm} *",
  "{sort,uniq,cut,tr,paste,column,seq,basename,dirname,realpath,readlink,jq,awk} *",
  "{md5sum,sha1sum,sha256sum,sha512sum} *",
  "{pwd,which,date,echo,printf,true,false,uname,id,whoami,cd,test,[,sleep,nproc,uptime} *",
  "{command -v,type} ?*",
  // Other letters show the environment of processes.
  "ps",
  "ps {aux,ax,-ef,-e,-A,-f}",
  "sed {-n,-E,-nE} *",
  "{git,node,npm,docker,gh} {--version,-v}",
  "{python,python3} --version",
  "docker {ps,images,logs} *",
];

/** They change files that their effects name, and rules on these decide. */
export const WRITING = [
  "{mkdir,touch,cp,mv,rm,rmdir,tee,truncate} *",
  "sed -i *",
  "chmod {+x,u+x,644,755} *",
];

/** Git commands that only read. */
export const SHOWING = [
  "git {status,diff,log,show,blame,ls-files,ls-tree,rev-parse,rev-list,merge-base,describe,shortlog,cat-file,grep} *",
  "git branch",
  "git branch {-a,-r,-v,-vv,--all,--list,--remotes,--show-current}",
  "git {tag,remote}",
  "git {tag --list,remote -v,stash list,worktree list}",
  "git --no-pager {status,diff,log,show,blame} *",
  "git {check-ignore,show-ref,for-each-ref,reflog show,stash show} *",
  "git config {,--get }{user.name,user.email}",
  "git config --get {remote.origin.url,init.defaultBranch}",
];

/** Git commands whose changes git can undo. */
export const KEEPING = [
  "git add *",
  "git commit *",
  // A start point would check out its own files.
  "git {checkout -b,switch -c} ?*",
  "git restore --staged *",
  "git stash",
  "git stash {push *,pop,apply}",
  "git {tag,branch} ?*",
  "git tag -a ?* -m ?*",
];

/**
 * They bring in files of branches that the project's own remote has. `git checkout NAME` is not among them: where there
 * is no such branch, it discards what was changed in a folder of that name.
 */
export const FOLLOWING = [
  "git fetch",
  "git fetch {origin,--all,--prune,-p}",
  "git fetch origin {main,master,develop}",
  "git switch ?*",
  "git checkout {main,master,-}",
];

/**
 * Git refuses these where changes would be lost. The disk is looked at for what `git checkout NAME`, `switch` and `merge`
 * mean; a name that is no local branch may bring in files of a remote, or discard changes. What `rebase` replaces stays
 * in the reflog.
 */
export const SWITCHING = ["git switch --no-guess ?*", "git rebase ?*", "git rm {,-q ,--cached }?*"];

/** They fetch packages of the registry by their names, or ask it about them. */
export const INSTALLING = [
  "npm {install,i,ci,view,info,audit} *",
  "pnpm {install,i,add,view,audit} *",
  "yarn {install,add} *",
  "bun {install,add} *",
];

const CHECKERS = "{tsc,eslint,biome,prettier,vitest,jest,mocha,ava,oxlint,stylelint,vue-tsc,svelte-check}";
const SCRIPTS = "{test,build,lint,typecheck,types,check,format,dev,start}";

/** They run code of the project, or programs that its settings name, so they need a sandbox or trust. */
export const BUILDING = [
  "{pnpm,yarn,bun,deno,cargo,rustc,tsc} {--version,-v}",
  "go version",
  "npm {ls,list,outdated,explain} *",
  // By their names: a path below these folders may climb out of them.
  "{.husky,.githooks,.git/hooks}/{pre,post,prepare}-{commit,commit-msg,push,merge,merge-commit,checkout,rebase,rewrite} *",
  "{.husky,.githooks,.git/hooks}/commit-msg *",
  "{npm,pnpm,yarn,bun} test *",
  // Others also run programs and files that are no scripts of the project.
  "{npm,pnpm} run *",
  "npm {t,start,run-script} *",
  `{yarn,bun} run ${SCRIPTS} *`,
  `{pnpm,yarn} ${SCRIPTS} *`,
  "pnpm {ls,list,outdated,why} *",
  `pnpm -r ${SCRIPTS} *`,
  "docker compose {ps,logs} *",
  `npx ${CHECKERS} *`,
  `npx {--no,--no-install} ${CHECKERS} *`,
  `${CHECKERS} *`,
  "{pytest,ruff,mypy} *",
  "{python,python3} -m {pytest,unittest,mypy,ruff} *",
  "{uv,poetry,pdm,hatch} run {pytest,ruff,mypy} *",
  "node --test *",
  "cargo {test,check,build,clippy,fmt,doc} *",
  "go {test,vet,build,fmt} *",
  "dotnet {test,build} *",
  "{deno,swift,mix,flutter,dart} test *",
  "bundle exec {rspec,rubocop} *",
  "{rspec,rubocop,phpunit,vendor/bin/phpunit,ctest} *",
  // Every further argument of these is another task.
  "make {test,tests,unit,lint,check,build,all,fmt,format,typecheck}",
  "{mvn,gradle,./mvnw,./gradlew} {test,build,check,compile}",
];

/** They run a file of the project, or one that was written among the temporary files: `make` what its file says first. */
export const RUNNING_FILES = ["{python,python3} ?*.py *", "node ?*.{js,mjs,cjs,ts} *", "make"];

const FURTHER =
  "{*deploy*,*publish*,*release*,*ship*,*migrat*,*destroy*,*reset*,*drop*,*prod*,*push*,*upload*} *";

/** Scripts of the project that reach further than the project, by their names, or by what a runner of tasks is given. */
export const LEAVING = [
  `{npm,pnpm,yarn,bun} run ${FURTHER}`,
  "{npm,pnpm,yarn,bun} run * {deploy,publish,release,ship,migrate,destroy} *",
];

/** Without a script of that name npm shows the environment, with the secrets in it. */
export const SHOWING_ENVIRONMENT = ["npm run env *"];
