/** Names that package managers and build tools execute by themselves, even for `--version`, or on other machines. */
export const BUILDS_AND_PIPELINES = `
rust-toolchain.toml rust-toolchain     | rustup         | the programs cargo and rustc themselves               | seen: rustup 1.29.0; rust-lang.github.io/rustup, overrides
.cargo/config .cargo/config.toml       | cargo          | compilers, wrappers and runners                       | seen: cargo 1.95.0; doc.rust-lang.org/cargo, configuration
.yarnrc .yarnrc.yml .yarn/plugins .yarn/releases | yarn | plug-ins, and the program yarn itself                 | seen: yarn 4.18.1; yarnpkg.com/configuration/yarnrc
.pnpmfile.cjs .pnpmfile.mjs            | pnpm           | code of hooks                                         | seen: pnpm 10.34.9; pnpm.io/pnpmfile
.corepack.env                          | Corepack       | where the program yarn or pnpm itself comes from      | seen: Corepack 0.34.7; nodejs/corepack, README
pnpm-workspace.yaml                    | pnpm           | code of hooks, under any name (pnpmfile)              | seen: pnpm 10.34.9; pnpm.io/settings
bunfig.toml                            | bun            | code that is loaded first                             | bun.com/docs, bunfig
pip.conf pip.ini                       | pip            | where packages come from                              | pip.pypa.io, configuration
uv.toml                                | uv             | where packages and Python itself come from            | docs.astral.sh/uv, configuration files
.condarc                               | conda          | where packages come from, plug-ins                    | docs.conda.io, condarc
.gemrc .bundle/config                  | RubyGems, Bundler | where packages come from, and where they go        | guides.rubygems.org; bundler.io, bundle config
.mvn/ .m2/settings.xml                 | Maven          | extensions and options of the virtual machine         | maven.apache.org, configure
.gradle/init.d                         | Gradle         | scripts of every build                                | docs.gradle.org, init scripts
.sbtopts .jvmopts .sbtrc               | sbt            | options of the virtual machine, commands              | scala-sbt.org, command line reference
.bazelrc                               | Bazel          | options of the server and its virtual machine         | bazel.build, bazelrc
tools/bazel                            | Bazel          | itself, in place of the program bazel                 | bazel.build, scripts/packages/bazel.sh
.bazeliskrc .bazelversion                            | Bazelisk       | where the program bazel itself comes from             | bazelbuild/bazelisk, README
ansible.cfg .ansible.cfg               | Ansible        | plug-ins of every command                             | docs.ansible.com, configuration settings
.config/go                             | Go             | flags of every command                                | go.dev, go env -w
.docker/cli-plugins                    | Docker         | plug-ins, if only for their help                      | docs.docker.com, cli plug-ins
.terraform.d/                          | Terraform      | plug-ins and credentials                              | developer.hashicorp.com/terraform, cli configuration
.gitpod.yml                            | Gitpod         | tasks when the folder is opened                       | gitpod.io/docs, gitpod.yml
.idx/ .codesandbox/ .stackblitzrc .replit | Firebase Studio, CodeSandbox, StackBlitz, Replit | tasks when the folder is opened | the documentation of each
.github/workflows .github/actions .gitea/workflows .forgejo/workflows | GitHub, Gitea, Forgejo | jobs | docs.github.com/actions, workflow syntax
.gitlab-ci.yml .gitlab-ci.yaml         | GitLab         | jobs                                                  | docs.gitlab.com, ci/yaml
.circleci/ .buildkite/ .semaphore/ .teamcity/ .tekton/ .harness/ .azure-pipelines/ .builds/ | CircleCI, Buildkite, Semaphore, TeamCity, Tekton, Harness, Azure, SourceHut | jobs | the documentation of each
.woodpecker/ .woodpecker.yml .woodpecker.yaml | Woodpecker | jobs                                                | woodpecker-ci.org/docs, workflow syntax
.travis.yml .appveyor.yml appveyor.yml .build.yml | Travis CI, AppVeyor, SourceHut | jobs                   | docs.travis-ci.com, appveyor.com/docs, man.sr.ht
.drone.yml .drone.star .drone.jsonnet  | Drone          | jobs                                                  | docs.drone.io
.cirrus.yml .cirrus.star               | Cirrus CI      | jobs                                                  | cirrus-ci.org/guide
azure-pipelines.yml azure-pipelines.yaml bitbucket-pipelines.yml jenkinsfile buildspec.yml buildspec.yaml cloudbuild.yaml cloudbuild.yml cloudbuild.json codefresh.yml wercker.yml .onedev-buildspec.yml | Azure, Bitbucket, Jenkins, CodeBuild, Cloud Build, Codefresh, Wercker, OneDev | jobs | the documentation of each
.zuul.yaml zuul.yaml .zuul.d/ zuul.d/ .prow.yaml .vela.yml .evergreen.yml bitrise.yml codemagic.yaml screwdriver.yaml .cds/ | Zuul, Prow, Vela, Evergreen, Bitrise, Codemagic, Screwdriver, CDS | jobs | the documentation of each
`;
