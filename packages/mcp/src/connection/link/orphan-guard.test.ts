import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { isAlive, scripted, until } from "../connection.test.kit.ts";

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

const CONNECT = new URL("../connect.ts", import.meta.url).href;

/** A process of its own that connects to a server and prints the ids of all processes that the server started. */
function hostApplication() {
  const program = join(folder, "host-application.mjs");
  writeFileSync(
    program,
    `import { connect } from ${JSON.stringify(CONNECT)};
     const connection = connect(${JSON.stringify(scripted())}, { folder: ${JSON.stringify(join(folder, "servers"))} });
     await connection.tried;
     const signal = new AbortController().signal;
     const { content } = await connection.call({ tool: "family", arguments: {}, signal });
     console.log(content[0].text);
     if (process.argv[2] === "exit") process.exit(0);`,
  );
  return (how: string) =>
    spawn(process.execPath, ["--no-warnings", "--conditions=@toolkeep/source", program, how], {
      stdio: ["ignore", "pipe", "inherit"],
    });
}

test.each(["SIGTERM", "SIGKILL", "exit"] as const)(
  "nothing of a server is left when we end by %s",
  async (how) => {
    const child = hostApplication()(how);
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const pids: number[] = JSON.parse(line);
    expect(pids).toHaveLength(3);
    if (how !== "exit") {
      expect(pids.map(isAlive)).toEqual([true, true, true]);
      child.kill(how);
    }
    await until(() => pids.every((pid) => !isAlive(pid)));
    await until(() => readdirSync(join(folder, "servers")).length === 0);
  },
);
