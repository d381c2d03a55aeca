/** How a program is asked for its options: by itself, and for a subcommand, for which `{}` stands. */
export interface ComparedProgram {
  readonly name: string;
  readonly help: string;
  readonly ofCommand?: string;
}

const TABLE = `
git: --help / {} -h
gh: --help / {} --help
hg: help --verbose / help {}
svn: help / help {}
npm: --help / {} --help
pnpm: --help / {} --help
node: --help
python3: --help-all
pip: --help / {} --help
mypy: --help
black: --help
isort: --help
flake8: --help
codespell: --help
go: help / help {}
cargo: --help / {} --help
rustup: --help / {} --help
rustc: --help -v
make: --help
cmake: --help
ninja: --help
meson: --help / {} --help
clang-format: --help
ctags: --help
shellcheck: --help
shfmt: --help
yamllint: --help
php: --help
ruby: --help
java: -help
javap: -help
jar: --help
docker: --help / {} --help
kubectl: options / {} --help
systemctl: --help
journalctl: --help
psql: --help
sqlite3: -help
redis-cli: --help
curl: --help all
jq: --help
rsync: --help
tar: --help
grep: --help
sed: --help
sort: --help
ls: --help
find: -help
`;

/** Programs that Debian or npm has, and whose help lists their options. */
export const COMPARED_PROGRAMS: readonly ComparedProgram[] = TABLE.trim()
  .split("\n")
  .map((line) => {
    const [name = "", ways = ""] = line.split(": ");
    const [help = "", ofCommand] = ways.split(" / ");
    return { name, help, ...(ofCommand === undefined ? {} : { ofCommand }) };
  });
