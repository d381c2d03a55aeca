import { expect, test } from "vitest";
import { temporaryFolders } from "./temporary-folders.ts";

test("the folders for temporary files are those where systems keep them, whatever the environment names", async () => {
  expect(await temporaryFolders([], "/tmp")).toEqual(["/tmp", "/var/tmp"]);
  expect(await temporaryFolders([], "/home/me")).toEqual(["/tmp", "/var/tmp"]);
  expect(await temporaryFolders([], "/")).toEqual(["/tmp", "/var/tmp"]);
  expect(await temporaryFolders([], "/tmp/of-a-job")).toEqual(["/tmp", "/var/tmp", "/tmp/of-a-job"]);
});

test("a folder with a workspace in it is none of them", async () => {
  expect(await temporaryFolders(["/tmp/project"], "/tmp")).toEqual(["/var/tmp"]);
  expect(await temporaryFolders(["/tmp", "/var/tmp/a"], "/tmp")).toEqual([]);
});
