import { existsSync, readFileSync } from "node:fs";
import { AUTO_EXECUTED } from "../../../packages/core/src/file-names/name-class.ts";
import { EVERYDAY_GIT, PLANTED_GIT } from "./planted-git.ts";
import { asUser, at, MARK, namesIn, QUARANTINE, reset, sandboxed, scene, unless } from "./stage.ts";

/* What commands leave behind for the programs of the user. Only ever started within the jail. */

for (const { title, setup, command, after } of PLANTED_GIT)
  await scene(title, async () => {
    asUser(setup);
    const { complaint, output } = await sandboxed(command);
    asUser(after);
    return [
      ...unless(!existsSync(MARK), "what the command left behind was executed"),
      ...unless(complaint !== undefined, `the command was not told: ${output}`),
    ];
  });

/** The control: the same without a sandbox, where each of them succeeds. */
if (process.argv.includes("control"))
  for (const { title, setup, command, after } of PLANTED_GIT)
    await scene(`control: ${title}`, () => {
      const said = [setup, command, after].map(asUser);
      return unless(existsSync(MARK), `it does nothing without a sandbox either: ${said.join("\n")}`);
    });

for (const { title, setup, commands, shows } of EVERYDAY_GIT)
  await scene(`control: ${title}`, async () => {
    asUser(setup);
    const errors: string[] = [];
    for (const command of commands) {
      const { complaint, output, exitCode } = await sandboxed(command);
      if (complaint !== undefined || exitCode !== 0)
        errors.push(`${command}: ${complaint} ${exitCode} ${output}`);
    }
    const [line, expected] = shows;
    const seen = asUser(line);
    return [...errors, ...unless(seen === expected, `the user sees ${JSON.stringify(seen)}`)];
  });

const SAMPLES = AUTO_EXECUTED.map(({ name }) =>
  (name.endsWith("/") ? `${name}x` : name).replaceAll("*", "team"),
);
const quoted = (name: string) => `'${name}'`;

await scene("[attack 16] nothing is left under any name that programs execute automatically", async () => {
  asUser("git init -q . && echo 1 > f");
  const lines = SAMPLES.map(
    (name) => `mkdir -p "$(dirname ${quoted(`d/${name}`)})"; echo EVIL > ${quoted(`d/${name}`)}`,
  );
  const { complaint, exitCode, output } = await sandboxed(lines.join("\n"));
  const left = SAMPLES.filter((name) => existsSync(at(`d/${name}`)));
  return [
    ...unless(left.length === 0, `left: ${left.join(" ")}`),
    ...unless(exitCode === 0 && complaint !== undefined, `${exitCode} ${output} ${complaint}`),
    ...unless(namesIn(QUARANTINE).length > 0, "nothing was kept"),
  ];
});

const SHAPES = {
  "by a link": "echo x > notes; ln -s notes rust-toolchain.toml",
  "by a new name of a file": "echo x > n; mv n .nvim.lua",
  "by a new name of a folder": "mkdir -p h; echo x > h/languages.toml; mv h .helix",
  "in other letters": "echo x > LEFTHOOK-Local.YML",
  "in a folder that is closed": "mkdir -p a/b; echo x > a/b/opencode.json; chmod 000 a/b",
  "with the ending of a workspace": "echo x > evil.code-workspace",
};

for (const [title, command] of Object.entries(SHAPES))
  await scene(`[attack 16] nor ${title}`, async () => {
    const { complaint } = await sandboxed(command);
    const names = asUser("chmod -R u+rwX .; find . -printf '%f\\n'");
    const isLeft =
      /^(?:rust-toolchain\.toml|\.nvim\.lua|\.helix|lefthook-local\.yml|opencode\.json|evil\.code-workspace)$/im;
    return [
      ...unless(complaint !== undefined, "the command was not told"),
      ...unless(!isLeft.test(names), `left: ${names}`),
    ];
  });

await scene("control: what is there under such a name stays readable and as it was", async () => {
  asUser("echo '[toolchain]' > rust-toolchain.toml; echo stable > .tool-versions; echo all: > Makefile");
  const { complaint, output } = await sandboxed(
    "cat rust-toolchain.toml .tool-versions; echo x >> rust-toolchain.toml; echo '{}' > package.json; echo 3.12 > .python-version; echo x >> Makefile; echo x > AGENTS.md",
  );
  return [
    ...unless(complaint === undefined, `${complaint}`),
    ...unless(/\[toolchain\]\nstable/.test(output) && /Read-only/.test(output), output),
    ...unless(readFileSync(at("rust-toolchain.toml"), "utf8") === "[toolchain]\n", "it was changed"),
  ];
});

reset();
