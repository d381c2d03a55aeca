import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../../tests/temporary-folder.ts";
import { openBrowser } from "./open-browser.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

// Where one is installed, a page would open.
test.skipIf(process.platform !== "linux" || existsSync("/usr/bin/xdg-open"))(
  "the program that opens a page is never taken from a folder of the project",
  async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "xdg-open"), `#!/bin/sh\ntouch ${folder}/RAN\n`, { mode: 0o755 });
    vi.spyOn(process, "cwd").mockReturnValue(folder);
    vi.stubEnv("PATH", `${folder}:.:/usr/bin:/bin`);
    await expect(openBrowser(new URL("https://login.example/"))).rejects.toThrow("xdg-open did not start");
    await pause(200);
    expect(existsSync(join(folder, "RAN"))).toBe(false);
  },
);
