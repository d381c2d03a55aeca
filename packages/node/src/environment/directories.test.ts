import { expect, test } from "vitest";
import { directories } from "./directories.ts";

const home = "/home/ada";

test("directories follow the conventions of the platform, also on macOS", () => {
  for (const platform of ["linux", "darwin"] as const) {
    expect(directories({ env: {}, home, platform })).toMatchObject({
      config: "/home/ada/.config/toolkeep",
      state: "/home/ada/.local/state/toolkeep",
      data: "/home/ada/.local/share/toolkeep",
      cache: "/home/ada/.cache/toolkeep",
    });
  }
});

test("XDG variables apply if they are absolute", () => {
  const env = { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "relative", XDG_DATA_HOME: "", XDG_CACHE_HOME: "/k" };
  expect(directories({ env, home, platform: "linux" })).toEqual({
    config: "/c/toolkeep",
    state: "/home/ada/.local/state/toolkeep",
    data: "/home/ada/.local/share/toolkeep",
    cache: "/k/toolkeep",
    run: "/home/ada/.local/state/toolkeep/run",
    managedConfig: "/etc/toolkeep/config.jsonc",
  });
});

test("only TOOLKEEP_HOME and the home directory decide where the socket is", () => {
  const env = { XDG_STATE_HOME: "/s", XDG_RUNTIME_DIR: "/r", XDG_CONFIG_HOME: "/c" };
  const { run, state } = directories({ env, home, platform: "linux" });
  expect({ run, state }).toEqual({ run: "/home/ada/.local/state/toolkeep/run", state: "/s/toolkeep" });
});

test("TOOLKEEP_HOME contains everything but the configuration of the administrator", () => {
  const env = { TOOLKEEP_HOME: "/elsewhere", XDG_CONFIG_HOME: "/c" };
  const found = directories({ env, home, platform: "linux" });
  expect(found).toEqual({
    config: "/elsewhere/config",
    state: "/elsewhere/state",
    data: "/elsewhere/data",
    cache: "/elsewhere/cache",
    run: "/elsewhere/state/run",
    managedConfig: "/etc/toolkeep/config.jsonc",
  });
  expect(() => directories({ env: { TOOLKEEP_HOME: "here" }, home, platform: "linux" })).toThrow(/absolute/);
});

test("Windows has folders of its own", () => {
  const env = { APPDATA: "D:\\Roaming", ProgramData: "E:\\All" };
  expect(directories({ env, home: "C:\\Users\\Ada", platform: "win32" })).toEqual({
    config: "D:\\Roaming\\toolkeep",
    state: "C:\\Users\\Ada\\AppData\\Local\\toolkeep\\state",
    data: "C:\\Users\\Ada\\AppData\\Local\\toolkeep\\data",
    cache: "C:\\Users\\Ada\\AppData\\Local\\toolkeep\\cache",
    run: "C:\\Users\\Ada\\AppData\\Local\\toolkeep\\run",
    managedConfig: "C:\\ProgramData\\toolkeep\\config.jsonc",
  });
});
