import { execFile } from "node:child_process";
import { userInfo } from "node:os";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { type OsAccounts, osUser } from "./os-user.ts";

const accounts = (more: Partial<OsAccounts> = {}): OsAccounts => ({
  userId: () => 1000,
  groupIds: () => [1000, 27, 5001],
  userName: () => "ada",
  groupFile: () => "root:x:0:\nsudo:x:27:ada\nadmin:x:27:\nada:x:1000:\n# a comment\n:x:5001:\nx:y\n",
  ...more,
});

test("a group has every name of its id, and one without a name is named by its id", () => {
  expect(osUser(accounts())).toEqual({ user: "ada", groups: ["ada", "sudo", "admin", "gid:5001"] });
});

test.each([
  [
    "the account database does not know the user",
    {
      userName: () => {
        throw new Error("ENOENT");
      },
    },
  ],
  ["the name is empty", { userName: () => "" }],
  ["the name looks like an id", { userName: () => "uid:0" }],
])("where %s, the user is named by the id", (_case, more) => {
  expect(osUser(accounts(more)).user).toBe("uid:1000");
});

test("without a file of groups they are named by their ids, and without groups there are none", () => {
  const groupFile = () => {
    throw new Error("ENOENT");
  };
  expect(osUser(accounts({ groupFile })).groups).toEqual(["gid:1000", "gid:27", "gid:5001"]);
  expect(osUser(accounts({ groupIds: () => undefined }))).toEqual({ user: "ada" });
});

test.skipIf(process.platform === "win32")("no variable of the environment changes the user", async () => {
  const program = 'const { userInfo } = require("node:os"); console.log(userInfo().username)';
  const env = {
    USER: "root",
    LOGNAME: "root",
    USERNAME: "root",
    HOME: "/root",
    SUDO_USER: "root",
    LNAME: "root",
  };
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", program], { env });
  expect(stdout.trim()).toBe(userInfo().username);
  expect(osUser().user).toBe(userInfo().username);
  expect(osUser().groups?.length).toBe(new Set(process.getgroups?.()).size);
});
