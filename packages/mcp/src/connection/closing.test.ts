import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import type { StdioServer } from "../servers/server-entry.ts";

const run = promisify(execFile);
const ROUNDS = 20;
const CONNECT = new URL("./connect.ts", import.meta.url).href;

/** Answers the older greeting; when its input ends it closes its output first, and ends a little later. */
const SERVER = `
while read -r line; do
  id=\${line#*'"id":'}; id=\${id%%[,\\}]*}
  case $line in
    *'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}' ;;
    *'"id":'*) echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no"}}' ;;
  esac
done
exec 1>&-
sleep 0.1
`;

const entry: StdioServer = {
  ...{ kind: "stdio", name: "testing", isOfProject: false, env: {} },
  ...{ command: "/bin/sh", args: ["-c", SERVER] },
};

/** A program that has nothing else to do than to wait for the end of its servers. */
const PROGRAM = `
import { connect } from ${JSON.stringify(CONNECT)};
for (let round = 0; round < ${ROUNDS}; round += 1) {
  const connection = connect(${JSON.stringify(entry)});
  await connection.tried;
  console.log(connection.status.state);
  await connection.close();
  console.log(connection.status.state);
}
`;

test("closing completes however the server ends, and keeps the waiting process alive until then", async () => {
  const args = ["--no-warnings", "--conditions=@toolkeep/source", "--input-type=module", "--eval", PROGRAM];
  const { stdout } = await run(process.execPath, args, { timeout: 30_000 });
  expect(stdout.trim().split("\n")).toEqual(Array.from({ length: ROUNDS }, () => ["ready", "closed"]).flat());
});
