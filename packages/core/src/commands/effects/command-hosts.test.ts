import { describe, expect, test } from "vitest";
import { commandHosts } from "./command-hosts.ts";

function hostsOf(line: string) {
  const { hosts, configured } = commandHosts(line.split(" "));
  return configured === undefined ? hosts.join(" ") : `${[...hosts, `(${configured})`].join(" ")}`;
}

describe("the hosts of a command", () => {
  test.each([
    ["curl https://a.example/x", "a.example"],
    ["curl -fsSL https://A.Example./x -o out.html", "a.example"],
    ["curl a.example/x", "a.example"],
    ["curl -s a.example:8080", "a.example"],
    ["curl -d b.example https://a.example", "a.example"],
    ["curl -o file.html a.example", "a.example"],
    ["curl --url=https://a.example", "a.example"],
    ["curl http://[::1]:3000/", "[::1]"],
    ["curl http://localhost:3000/", "localhost"],
    ["curl http://2130706433/", "127.0.0.1"],
    ["wget -q https://a.example/a https://b.example/b", "a.example b.example"],
    ["/usr/bin/curl https://a.example", "a.example"],
    ["curl https://$HOST/x", ""],
    ["curl https://*.example/x", ""],
    ["curl https://{a,b}.example/x", ""],
    ["curl https://user:pass@a.example/", "a.example"],
    ["curl file:///etc/passwd", ""],
  ])("%s: %s", (line, expected) => expect(hostsOf(line)).toBe(expected));

  test.each([
    ["npm install", "(npm)"],
    ["npm ci --ignore-scripts", "(npm)"],
    ["npm i -D left", "(npm)"],
    ["npm --prefix app install", "(npm)"],
    ["npm view left version", "(npm)"],
    ["npm audit", "(npm)"],
    ["npm install https://a.example/left.tgz", "a.example (npm)"],
    ["npm install --registry https://a.example/", "a.example"],
    ["npm install --offline", ""],
    ["npm exec left", "(npm)"],
    ["npm init -y", ""],
    ["npm init vite", "(npm)"],
    ["npm test", ""],
    ["npm run build", ""],
    ["npm ls", ""],
    ["npm", ""],
    ["pnpm add left", "(npm)"],
    ["pnpm test", ""],
    ["yarn", "(yarn)"],
    ["yarn add left", "(yarn)"],
    ["yarn test", ""],
    ["npx cowsay", "(npm)"],
    ["npx tsc --noEmit", ""],
    ["npx --no cowsay", ""],
    ["pip install requests", "pypi.org files.pythonhosted.org"],
    ["pip3 install -r requirements.txt", "pypi.org files.pythonhosted.org"],
    ["python3 -m pip install requests", "pypi.org files.pythonhosted.org"],
    ["pip install -i https://a.example/simple requests", "a.example"],
    ["pip install git+https://a.example/r.git", "pypi.org files.pythonhosted.org a.example"],
    ["pip list", ""],
    ["cargo fetch", "index.crates.io static.crates.io crates.io"],
    ["cargo build", ""],
    ["go mod download", "proxy.golang.org sum.golang.org"],
    ["go test ./...", ""],
  ])("%s: %s", (line, expected) => expect(hostsOf(line)).toBe(expected));

  test.each([
    ["git clone https://a.example/r.git", "a.example"],
    ["git clone git@a.example:r.git", ""],
    ["git -C sub fetch", "(git)"],
    ["git pull origin main", "(git)"],
    ["git push https://a.example/r.git main", "a.example"],
    ["git remote update", "(git)"],
    ["git remote -v", ""],
    ["git status", ""],
    ["git commit -m https://a.example", ""],
    ["gh pr list", "api.github.com github.com"],
    ["gh api --hostname ghe.example user", "ghe.example"],
    ["gh --version", ""],
  ])("%s: %s", (line, expected) => expect(hostsOf(line)).toBe(expected));

  test.each([
    "ls -la",
    "cat https://a.example",
    "node deploy.js https://a.example",
    "make install",
    "echo curl https://a.example",
    "ssh a.example",
    "constructor install",
    "toString",
    "",
  ])("%s: none", (line) => expect(hostsOf(line)).toBe(""));
});
