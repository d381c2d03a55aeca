import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { clientProcess } from "./client-process.ts";

const MODULE = fileURLToPath(new URL("./client-process.ts", import.meta.url));

test("the client is the process before the shells that run a command", () => {
  const found = `import(${JSON.stringify(MODULE)}).then((one) => console.log(one.clientProcess()))`;
  const line = `sh -c '"$0" -e "$1"; true' "$0" "$1"; true`;
  const said = execFileSync("bash", ["-c", line, process.execPath, found], { encoding: "utf8" });
  expect(Number(said)).toBe(process.pid);
});

test("no process is the client of one that the system started", () => {
  expect(clientProcess(1)).toBeUndefined();
});
