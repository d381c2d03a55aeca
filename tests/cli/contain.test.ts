import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { containFolder } from "@toolkeep/node/internal";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { switchOff, switchOn } from "../../packages/cli/src/contain/switch.ts";
import { isContaining, setContaining } from "../../packages/cli/src/project/contain/contained-projects.ts";
import {
  hostAndPort,
  setGranted,
  standingGrants,
} from "../../packages/cli/src/project/contain/standing-grants.ts";
import { openTerminal } from "../../packages/cli/src/terminal/terminal.ts";
import { type Place, place } from "../managed/place.ts";
import { type ContainedBench, containedBench, USER, whyNotContained } from "./contained-bench.ts";

const reason = whyNotContained();
/** An address of this machine that is not its loopback stands for another machine. */
const remote = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
const put = (path: string, text: string) => `python3 -c "open('${path}', 'w').write('${text}')"`;

describe("an administrator", () => {
  let at: Place;
  afterEach(() => at.remove());

  test("forbids containment, whatever the user chose", async () => {
    at = place();
    await setContaining((await at.read()).root, true);
    expect(await isContaining(await at.read())).toBe(true);
    at.put("etc/config.jsonc", { policy: "policy.yaml", contain: "forbid" });
    const project = await at.read();
    expect(await isContaining(project)).toBe(false);
    const switched = switchOn(project, openTerminal({ quiet: true }));
    await expect(switched).rejects.toThrow("Your administrator forbids containment.");
  });

  test("requires containment, and no user switches it off", async () => {
    at = place();
    at.put("etc/config.jsonc", { policy: "policy.yaml", contain: "require" });
    const project = await at.read();
    expect(await isContaining(project)).toBe(true);
    await expect(switchOff(project)).rejects.toThrow("Your administrator requires containment.");
    await setContaining(project.root, false);
    expect(await isContaining(await at.read())).toBe(true);
  });

  test("is not contradicted by a configuration of the user or the project", async () => {
    at = place();
    at.put("etc/config.jsonc", { policy: "policy.yaml", contain: "require" });
    at.put("home/.config/toolkeep/config.jsonc", { contain: "forbid" });
    at.put("repository/.toolkeep/config.jsonc", { contain: "forbid" });
    const loosened = await at.read().then(isContaining, () => "refused");
    expect(loosened).not.toBe(false);
  });
});

test("what a user granted to one project is not granted to another, and ends when it is revoked", async () => {
  const at = place();
  try {
    const [one, other] = [at.repository, join(at.base, "other")];
    const curl = { program: "curl", does: ["net.read"], host: "api.example", port: 443 };
    const gh = { program: "gh", does: ["forge.read"], host: "api.example", port: 443 };
    for (const grant of [curl, gh, curl]) await setGranted(one, grant, true);
    expect(await standingGrants(one)).toEqual([gh, curl]);
    expect(await standingGrants(other)).toEqual([]);
    await setGranted(other, gh, false);
    await setGranted(one, gh, false);
    expect(await standingGrants(one)).toEqual([curl]);
    chmodSync(join(containFolder(), "grants.json"), 0o666);
    expect(await standingGrants(one)).toEqual([]);
  } finally {
    at.remove();
  }
});

test.each([
  ["api.example:443", { host: "api.example", port: 443 }],
  ["API.example:8443", { host: "api.example", port: 8_443 }],
  ["[2001:db8::1]:443", { host: "[2001:db8::1]", port: 443 }],
  ["api.example", undefined],
  ["*.example:443", undefined],
  ["api.example:0", undefined],
  ["api.example:70000", undefined],
  ["https://api.example:443", undefined],
  ["/run/docker.sock", undefined],
])("a host that is granted has one port: %s", (text, found) => {
  expect(hostAndPort(text)).toEqual(found);
});

describe.skipIf(reason !== undefined)(`containment of a project${reason ?? ""}`, () => {
  let bench: ContainedBench;
  const commands = () => globSync(join(bench.store, "*/commands/*"));

  beforeAll(async () => {
    bench = containedBench();
    await bench.shell("git init -q");
    bench.write("notes.txt", "what-was-there-before");
    const { code, stderr } = await bench.toolkeep("init", "claude-code", "--contain", "--yes");
    expect(code, stderr).toBe(0);
  });
  afterAll(() => bench.remove());

  test("is proven by doctor, which leaves nothing behind", async () => {
    const { stdout } = await bench.toolkeep("doctor", "--json");
    const { facts, findings } = JSON.parse(stdout);
    expect(findings.filter(({ about }: { about: string }) => about === "containment")).toEqual([]);
    expect(facts).toContainEqual({
      about: "containment",
      text: "proven: layer, undo, network, caches, forwarding",
    });
    expect(globSync(join(bench.home, ".local/state/*"))).toEqual([join(bench.home, ".local/state/toolkeep")]);
  });

  test("ends at once with `contain off`, and begins again with `contain on`", async () => {
    expect(await bench.json("contain")).toEqual({
      project: bench.project,
      contain: true,
      by: "user",
      held: [],
      grants: 0,
    });
    expect((await bench.bash(put("one.txt", "1"))).action).toBe("allow");
    expect(await bench.json("contain", "off")).toMatchObject({ contain: false });
    expect((await bench.bash(put("two.txt", "2"))).action).not.toBe("allow");
    expect(await bench.toolkeep("contain", "on")).toMatchObject({ code: 0 });
    expect((await bench.bash(put("two.txt", "2"))).action).toBe("allow");
    expect(await bench.toolkeep("contain", "maybe")).toMatchObject({ code: 2, stdout: "" });
    expect(await bench.json("contain", "stop")).toEqual({ project: bench.project, ended: true });
    expect(await bench.json("contain", "stop")).toEqual({ project: bench.project, ended: false });
  });

  test.skipIf(remote === undefined)(
    "lets a command reach a host that the user granted, and no other port",
    async () => {
      let requests = 0;
      const server = createServer((_request, response) => {
        requests += 1;
        response.setHeader("connection", "close").end("told");
      });
      await new Promise<void>((resolve) => server.listen(0, remote, resolve));
      const { port } = server.address() as { readonly port: number };
      const [at, line] = [`${remote}:${port}`, `curl -s http://${remote}:${port}/`];
      try {
        expect(await bench.json("contain", "grant", at, line, "--yes")).toMatchObject({
          ...{ program: "curl", does: ["net.read"], host: remote, port },
        });
        const other = port === 65_535 ? port - 1 : port + 1;
        const both = await bench.bash(`${line}a; curl -s http://${remote}:${other}/`);
        expect(both.ran).toMatchObject({ code: 7, stdout: "told" });
        expect(both.ran?.stderr).toContain(`Blocked: ${remote}:${other}. `);
        expect(both.ran?.stderr).toContain(`\`toolkeep contain grant ${remote}:${other} 'curl -s `);
        await bench.bash("cat /etc/passwd", { conversation: "private" });
        expect((await bench.bash(line, { conversation: "private" })).action).not.toBe("allow");
        expect(requests).toBe(1);
        expect(await bench.json("contain", "revoke", "1")).toMatchObject({ revoked: { host: remote, port } });
        expect((await bench.bash(line)).action).not.toBe("allow");
        expect(requests).toBe(1);
      } finally {
        server.close();
      }
    },
  );

  test("is not switched on where the state is on another mount, and the reason names the repair", async () => {
    if (!existsSync("/dev/shm") || statSync("/dev/shm").dev === statSync(bench.home).dev) return;
    const elsewhere = mkdtempSync("/dev/shm/toolkeep-state-");
    if (USER.uid !== undefined) chownSync(elsewhere, USER.uid, USER.gid);
    try {
      const { code, stderr } = await bench.toolkeepWith({ XDG_STATE_HOME: elsewhere }, "contain", "on");
      expect(code).toBe(1);
      expect(stderr).toContain("Containment does not work here, so it stays off.");
      expect(stderr).toContain("export XDG_STATE_HOME=");
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });

  test("leaves nothing of a file in what is exported or sent, and all of it goes with its session", async () => {
    const before = commands().length;
    const changed = await bench.bash(put("notes.txt", "what-is-there-now"), { conversation: "erased" });
    expect(changed.ran).toMatchObject({ code: 0 });
    expect(commands()).toHaveLength(before + 1);
    const files = globSync(join(bench.store, "*/commands/*/**"), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
    expect(files).toContain("what-was-there-before");
    const sessions: { sessionId: string }[] = await bench.json("sessions", "list");
    const id = sessions.map(({ sessionId }) => sessionId).find((one) => one.includes("erased")) ?? "";
    const sent = join(bench.home, "sent.jsonl");
    await bench.toolkeep("log", "ship", "--to", sent);
    const exported = await bench.toolkeep("sessions", "export", id);
    expect(exported.stdout.length).toBeGreaterThan(100);
    for (const text of [exported.stdout, readFileSync(sent, "utf8")])
      expect(text).not.toContain("what-was-there-before");
    expect(await bench.json("sessions", "erase", id, "--yes")).toMatchObject({ sessionId: id, commands: 1 });
    expect(commands()).toHaveLength(before);
    expect(readFileSync(join(bench.project, "notes.txt"), "utf8")).toBe("what-is-there-now");
  });

  test("what is past its age is swept", async () => {
    await bench.bash(put("three.txt", "3"));
    const latest = commands().toSorted().at(-1) ?? "";
    const file = join(latest, "command.json");
    const { sessionId: _, at, ...command } = JSON.parse(readFileSync(file, "utf8"));
    writeFileSync(file, JSON.stringify({ ...command, at: at - 3 * 24 * 60 * 60_000 }));
    bench.writeHome(".config/toolkeep/config.jsonc", '{ "journal": { "keepDays": 2 } }');
    const { code, stderr } = await bench.toolkeep("sessions", "sweep");
    expect(code, stderr).toBe(0);
    expect(existsSync(latest)).toBe(false);
    expect(readFileSync(join(bench.project, "three.txt"), "utf8")).toBe("3");
  });

  test("ends with the last client, and what it left stays and is named", async () => {
    const { code, stderr } = await bench.toolkeep("uninstall", "claude-code", "--yes");
    expect(code).toBe(0);
    const [folder = ""] = globSync(join(bench.store, "*/commands"));
    expect(stderr).toContain(`stay in ${join(folder, "..")}`);
    expect(stderr).toContain(`rm -rf ${join(folder, "..")}`);
    expect(await bench.json("contain")).toMatchObject({ contain: false });
  });
});
