import { expect, test } from "vitest";
import { readCommand } from "./catalog.ts";

function does(...argv: readonly string[]): string {
  const reading = readCommand(["kubectl", "exec", "db-0", "--", ...argv]);
  return [...(reading?.does ?? []), ...(reading?.isWhole === true ? [] : ["?"])].join(" ");
}

test("a command for a container names no files of this machine", () => {
  const reading = readCommand(["kubectl", "exec", "db-0", "--", "cat", "/etc/passwd"]);
  expect(reading).toMatchObject({ does: ["k8s.exec"], reads: [], runs: [], isWhole: true });
});

test("what it deletes there is no file that a rule of this machine is about", () => {
  expect(does("rm", "-rf", "/data")).toBe("k8s.exec remote.destroy");
  expect(does("reboot")).toBe("k8s.exec remote.destroy");
});

test("a line for a shell there is taken apart", () => {
  expect(does("sh", "-c", "ls /data")).toBe("k8s.exec");
  expect(does("bash", "-lc", "cd /data && rm -rf a")).toContain("remote.destroy");
  expect(does("sh", "-c", "psql -c 'select 1; drop table a'")).toContain("db.drop");
  expect(does("/bin/sh", "-c", "echo $(frob)")).toContain("?");
});

test("what does not stay on its machine is treated as it is", () => {
  expect(does("psql", "-c", "drop table a")).toContain("db.drop");
  expect(does("kubectl", "delete", "ns", "prod")).toContain("k8s.delete");
});
