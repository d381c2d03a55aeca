import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Session, ToolResult } from "@toolkeep/core";
import { modelText } from "@toolkeep/core/formats";
import { scriptedApprover } from "@toolkeep/core/testing";
import { standardTools } from "@toolkeep/tools";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BackgroundCommands } from "../../packages/tools/src/shell/background-commands.ts";
import { bashStartTool } from "../../packages/tools/src/shell/background-tools.ts";
import { commandBench, request } from "./command-bench.ts";
import { reachableFolder } from "./reachable-folder.ts";

let bench: Awaited<ReturnType<typeof commandBench>>;

beforeAll(async () => {
  bench = await commandBench();
});
afterAll(() => bench.close());

const RULES = ["allow shell.run", "allow shell.dynamic", 'allow fs.* "{workspace}/**"'];

async function opened(rules: readonly string[] = RULES, answer: "once" | "reject" = "reject") {
  const approver = scriptedApprover(() => ({ verdict: answer }));
  const session = await bench.session(standardTools(), { policy: [...rules], approver });
  let calls = 0;
  const call = (name: string, args: object): Promise<ToolResult> => {
    calls += 1;
    return session.call(request(name, args as never, `c${calls}`));
  };
  return {
    session: session as Session,
    asked: () => approver.requests.map(({ reason }) => reason),
    call,
    bash: async (command: string, more: object = {}) =>
      modelText(await call("bash", { command, ...more })).trimEnd(),
  };
}

/** The folders for temporary files that sessions of this process have. */
function folders(): readonly string[] {
  return ["/var/tmp", tmpdir()].flatMap((base) =>
    existsSync(base)
      ? readdirSync(base).filter((name) => name.startsWith(`toolkeep-tmp-${process.pid}-`))
      : [],
  );
}

describe("/tmp of a session in the sandbox", () => {
  test("takes what an agent writes there, keeps it for the next command, and asks nothing", async () => {
    const { bash, asked, session } = await opened();
    expect(await bash("echo hi > /tmp/y && cat /tmp/y")).toBe("hi");
    expect(await bash("cat > /tmp/z.sh <<'EOF'\necho $((1+1))\nEOF")).toBe("(no output)");
    expect([await bash("bash /tmp/z.sh"), ...asked()]).toEqual(["2"]);
    expect(await bash("T=$(mktemp) && echo a > $T && cat $T && dirname $T")).toBe("a\n/tmp");
    expect(await bash("(sleep 0.1; echo up) > /tmp/dev.log 2>&1 & sleep 0.4")).toBe("(no output)");
    expect(await bash("tail /tmp/dev.log")).toBe("up");
    expect(await bash("sleep 30 > /tmp/dev.log 2>&1 &")).toContain("ended with this call: `bash_start`");
    expect(await bash("rm /tmp/y; ls /tmp | grep -c '^y$'")).toBe("0\n[exit code 1]");
    expect(await bash("pwd; ls dev.log", { workdir: "/tmp" })).toBe("/tmp\ndev.log");
    expect(await bash("mkdir -p /tmp/a/b && cd /tmp/a && echo 1 > b/c && cat /var/tmp/a/b/c")).toBe("1");
    expect(asked()).toEqual([]);
    await session.close();
  });

  test("is gone when the session is closed, whatever commands did to it", async () => {
    const before = folders();
    const { bash, session } = await opened();
    await bash(
      "mkdir -p /tmp/closed/in && echo x > /tmp/closed/in/f && chmod 000 /tmp/closed/in /tmp/closed",
    );
    await bash(`ln -s ${bench.root} /tmp/link && echo kept > ${bench.root}/kept.txt`);
    expect(folders().length).toBe(before.length + 1);
    await session.close();
    expect(folders()).toEqual(before);
    expect(existsSync(join(bench.root, "kept.txt"))).toBe(true);
  });

  test("is that session's alone: neither another session nor the machine shares it", async () => {
    const one = await opened();
    const other = await opened();
    const secret = join(mkdtempSync(join(tmpdir(), "of-the-machine-")), "secret.txt");
    writeFileSync(secret, "of the machine");
    await one.bash("echo mine > /tmp/mine");
    expect(await other.bash("ls -a /tmp; cat /tmp/mine")).not.toContain("mine\n");
    expect(await other.bash(`cat ${secret}`)).toContain("No such file");
    expect((await other.call("read", { path: secret })).failure?.code).toBe("not_found");
    const [folder = ""] = folders();
    for (const path of [`/var/tmp/${folder}/tmp/mine`, `${tmpdir()}/${folder}/tmp/mine`]) {
      expect(await other.bash(`cat ${path}`)).toContain("No such file");
      expect((await other.call("read", { path })).ok).toBe(false);
    }
    expect([...one.asked(), ...other.asked()]).toEqual([]);
    rmSync(join(secret, ".."), { recursive: true });
    await one.session.close();
    await other.session.close();
  });

  test("is what the file tools see under that name, too", async () => {
    const { bash, call, asked, session } = await opened();
    await bash("printf 'one\\ntwo\\n' > /tmp/n.txt");
    expect(modelText(await call("read", { path: "/tmp/n.txt" }))).toContain("two");
    expect((await call("edit", { path: "/tmp/n.txt", old_string: "two", new_string: "2" })).ok).toBe(true);
    expect((await call("write", { path: "/tmp/in/w.txt", content: "written" })).ok).toBe(true);
    expect(await bash("cat /tmp/n.txt /tmp/in/w.txt")).toBe("one\n2\nwritten");
    expect(modelText(await call("grep", { pattern: "written", path: "/tmp/in" }))).toContain("/tmp/in/w.txt");
    expect(modelText(await call("glob", { pattern: "*.txt", path: "/tmp/in" }))).toBe("/tmp/in/w.txt");
    expect(modelText(await call("read", { path: "/tmp/none" }))).toContain('"/tmp/none" does not exist');
    expect(asked()).toEqual([]);
    await session.close();
  });

  test("takes what runs in the background, and its sockets", async () => {
    const commands = new BackgroundCommands();
    await using session = await bench.session([...standardTools(), bashStartTool(commands)], {
      policy: [...RULES],
    });
    const serve =
      "require('net').createServer((s) => s.end('served\\n')).listen('/tmp/s.sock', () => console.log('up'))";
    await session.call(request("bash_start", { command: `node -e "${serve}" > /tmp/server.log 2>&1` }, "1"));
    const ask =
      "for i in $(seq 50); do grep -qs up /tmp/server.log && break; sleep 0.1; done; tail /tmp/server.log";
    expect(modelText(await session.call(request("bash", { command: ask }, "2"))).trimEnd()).toBe("up");
    const client = "require('net').connect('/tmp/s.sock').on('data', (d) => process.stdout.write(d))";
    const answer = await session.call(request("bash", { command: `node -e "${client}"` }, "3"));
    expect(modelText(answer).trimEnd()).toBe("served");
    await commands.close();
  });
});

describe("attacks by way of /tmp", () => {
  test("a link in it opens nothing: it is decided about by where it leads", async () => {
    const { bash, call, asked, session } = await opened([...RULES, 'allow fs.* "/tmp/**"']);
    writeFileSync(join(bench.root, ".env"), "KEY=secret");
    const outside = join(mkdtempSync(join(tmpdir(), "outside-")), "x");
    writeFileSync(outside, "outside");
    const lines = [
      `ln -s ${bench.root}/.env /tmp/env`,
      "ln -s /etc/shadow /tmp/shadow",
      `ln -s ${outside} /tmp/out`,
    ];
    writeFileSync(
      join(bench.root, "links.sh"),
      [...lines, "ln -s /tmp/loop /tmp/loop", "ln -s / /tmp/root"].join("\n"),
    );
    expect(await bash("bash links.sh && ls /tmp | grep -c '^env$'")).toBe("1");
    for (const path of ["/tmp/env", "/tmp/shadow", "/tmp/out", "/tmp/loop", "/tmp/root/etc/shadow"]) {
      expect((await call("read", { path })).ok, path).toBe(false);
      const isOwn = ["/tmp/env", "/tmp/out"].includes(path);
      if (!isOwn) expect((await call("write", { path, content: "x" })).ok, path).toBe(false);
      expect(await bash(`cat ${path}`), path).not.toMatch(/secret|root:|outside$/);
    }
    expect((await call("write", { path: "/tmp/out", content: "own" })).ok).toBe(true);
    expect(readFileSync(outside, "utf8")).toBe("outside");
    expect(asked().join("\n")).toContain("/etc/shadow");
    expect(asked().join("\n")).toContain('/.env" may hold secrets');
    await session.close();
  });

  test("a link to another file in it leads there, within the session", async () => {
    const { bash, call, session } = await opened([...RULES, 'allow fs.* "/tmp/**"']);
    await bash(
      "echo there > /tmp/there && ln -s /tmp/there /tmp/abs && ln -s there /tmp/rel && ln -s /tmp /tmp/self",
    );
    for (const path of ["/tmp/abs", "/tmp/rel", "/tmp/self/there", "/tmp/self/../tmp/there", "//tmp/./there"])
      expect(modelText(await call("read", { path })), path).toContain("there");
    await session.close();
  });

  test("a link in the way of the workspace is removed before the next command, and nothing is mounted behind it", async () => {
    const deep = join(bench.root, "..", `deep-${process.pid}`, "ws");
    mkdirSync(deep, { recursive: true });
    const root = realpathSync(deep);
    if (process.getuid?.() === 0) (await import("node:fs")).chownSync(root, 12_345, 12_345);
    const { openWorkspace } = await import("@toolkeep/node");
    const around = join(root, "..");
    const MOVING = [...RULES, 'allow fs.* "/tmp/**"'];
    {
      await using workspace = await openWorkspace({ roots: [root] });
      await using session = await workspace.createSession({ tools: standardTools(), policy: MOVING });
      const run = async (command: string, id: string) =>
        modelText(await session.call(request("bash", { command }, id)));
      await run("echo inside > a.txt", "1");
      const script = (name: string, line: string) => writeFileSync(join(root, name), line);
      script("link.sh", `mv ${around} /tmp/away && ln -s /home ${around} && readlink ${around}`);
      expect(await run("bash link.sh", "2")).toContain("/home");
      expect((await run("cat a.txt; pwd", "3")).trimEnd()).toBe(`inside\n${root}`);
      script("file.sh", `mv ${around} /tmp/away2 && echo x > ${around} && echo moved`);
      expect(await run("bash file.sh", "4")).toContain("moved");
      expect((await run("cat a.txt", "5")).trimEnd()).toBe("inside");
    }
    rmSync(around, { recursive: true });
  });

  test("a file that is computed reaches nothing but what is open", async () => {
    const { bash, session } = await opened();
    mkdirSync(join(bench.root, ".git/hooks"), { recursive: true });
    writeFileSync(join(bench.root, ".git/HEAD"), "ref: refs/heads/main\n");
    expect(await bash("f=.git/hooks/pre-commit; echo evil > $f")).toMatch(/Read-only|denied|No such/i);
    expect(existsSync(join(bench.root, ".git/hooks/pre-commit"))).toBe(false);
    await session.close();
  });
});

describe("reading the system in the sandbox", () => {
  test("asks nothing, and shows neither accounts' secrets nor keys", async () => {
    const { bash, asked, session } = await opened();
    expect(await bash("ls /usr/bin | grep -c .")).toMatch(/^\d+$/);
    expect(await bash("cat /etc/os-release")).toContain("NAME=");
    expect(await bash("ls /etc")).not.toMatch(/shadow|ssh|sudoers|ssl\/private/);
    expect(await bash("ls -A ~ /; head -1 /proc/cpuinfo; echo err > /dev/stderr")).toContain("err");
    expect(asked()).toEqual([]);
    expect(await bash("cat /etc/passwd")).toBe("Denied by the person who was asked.");
    expect(asked()).toHaveLength(1);
    await session.close();
  });

  test("what is not shown is asked about, and a yes opens exactly that", async () => {
    const folder = reachableFolder(".outside-");
    writeFileSync(join(folder, "a.txt"), "opened");
    writeFileSync(join(folder, "b.txt"), "closed");
    const { bash, asked, session } = await opened(RULES, "once");
    const shown = await bash(`cat '${folder}/a.txt'; cat "$(echo '${folder}')/b.txt"`);
    expect(asked()[0]).toBe(
      `bash was declared for the workspace; this reads ${folder}/a.txt. Allowed by: \`allow fs.read "${folder}/a.txt"\`.`,
    );
    expect(shown).toContain("opened");
    const exact = await bash(`cat '${folder}/a.txt'; x='${folder}'; cat "$x/b.txt"`);
    expect(exact).toContain("opened");
    expect(exact).toContain("No such file");
    await session.close();
    rmSync(folder, { recursive: true });
  });

  test("a socket is not opened by a yes to reading it", async () => {
    const folder = reachableFolder(".socket-");
    const path = join(folder, "s");
    const server = createServer((socket) => socket.end("escaped"));
    await new Promise<void>((resolve) => server.listen(path, () => resolve()));
    chmodSync(path, 0o777);
    const { bash, session } = await opened(RULES, "once");
    const client = `require('net').connect('${path}').on('data', (d) => process.stdout.write(d)).on('error', () => {})`;
    expect(await bash(`cat '${path}'; node -e "${client}"`)).not.toContain("escaped");
    await session.close();
    server.close();
    rmSync(folder, { recursive: true });
  });
});
