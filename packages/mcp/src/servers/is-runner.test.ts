import { expect, test } from "vitest";
import { isRunner } from "./is-runner.ts";

function started(line: string) {
  const [command = "", ...args] = line.split(" ");
  return isRunner({ command, args });
}

test.each([
  "npx -y @modelcontextprotocol/server-filesystem .",
  "npx.cmd -y x",
  "/usr/local/bin/npx -y x",
  "node_modules/.bin/npx x",
  "pnpx x",
  "bunx x",
  "bun x y",
  "npm exec -y x",
  "npm --yes exec x",
  "npm x x",
  "pnpm dlx x",
  "pnpm --silent dlx x",
  "yarn dlx -q x",
  "uvx mcp-server-git",
  "uv tool run x",
  "uv --quiet tool run x",
  "pipx run x",
  "python -m mcp_server_git",
  "python3 -u -m mcp_server_git",
  "python3.12 -Im mcp_server_git",
  "python3 -mmcp_server_git",
  "python3 -X utf8 -m x",
  "py -3 -m x",
  "deno run -A npm:@x/y",
  "deno run jsr:@x/y",
  "env FOO=1 npx x",
  "/usr/bin/env npx x",
  "cmd /c npx x",
  "corepack pnpm dlx x",
  "nice -n 10 npx x",
  "timeout 60 uvx x",
  "mise exec -- npx x",
  "dotenv -e .env -- uvx x",
  "node /usr/lib/node_modules/npm/bin/npx-cli.js -y x",
  "node /usr/share/npm/bin/npm-cli.js exec x",
  "npm create x",
  "npm init x",
  "yarn create x",
  "corepack npx x",
  "corepack pnpm@9 dlx x",
  "sudo -u me npx x",
  "setsid npx x",
  "env -u A -C /w npx x",
  "ionice -c 3 npx x",
  "timeout -s KILL 1.5h npx x",
  "a-wrapper-of-tomorrow --with value npx x",
  "fnm exec --using 20 npx x",
  "conda run -n a python -m x",
  "pythonw -m x",
  "python3.13t -m x",
])("%s looks for its code where it is started", (line) => {
  expect(started(line)).toBe(true);
});

test.each([
  ...[
    "npx -y x",
    "cd /w && npx -y x",
    "exec uvx x",
    "FOO=1 python3 -m x",
    "python3 -u -m x",
    "npm --yes exec x",
  ],
  ...['"npx" x', "np'x' x", "n=npx; $n x", "npx\\\n x", "ssh; npx x", "deno run npm:x", "(npx</dev/null x)"],
])("a program that starts the text %j does as well", (line) => {
  for (const [command, option] of [
    ...[["bash", "-lc"] as const, ["mksh", "-c"] as const, ["env", "-S"] as const, ["su", "-c"] as const],
    ["script", "-qc"] as const,
  ]) {
    expect(isRunner({ command, args: [option, line] })).toBe(true);
    expect(isRunner({ command, args: [`${option}${line}`] })).toBe(true);
  }
});

test.each([
  "node server.js",
  "node ./node_modules/x/index.js",
  "python server.py -m x",
  "python3 -c import_x -m y",
  "npm run mcp",
  "pnpm exec x",
  "bun server.ts",
  "uv run server.py",
  "docker run -i --rm x npx y",
  "deno run -A server.ts",
  "mcp-server-filesystem src",
  "ssh host npx y",
  "sh run.sh",
])("%s starts the project's own code, or a program", (line) => {
  expect(started(line)).toBe(false);
});
