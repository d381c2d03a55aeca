import { chmodSync, mkdirSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { container } from "./container.ts";
import { containerWords } from "./container-words.ts";
import { checkedLimits } from "./limits.ts";
import { type WalledWorkspace, walledWorkspace } from "./testing/walled-workspace.ts";

let workspace: WalledWorkspace;

beforeEach(() => {
  workspace = walledWorkspace();
  mkdirSync(`${workspace.path}/x`);
  chmodSync(workspace.path, 0o755);
});

afterEach(() => workspace.remove());

test("a container is told to be closed but for what the walls name", () => {
  const words = containerWords({
    image: "node:24",
    limits: checkedLimits({ processes: 7 }),
    walls: workspace.walls(),
    user: { uid: 5, gid: 6 },
    carried: ["CARRIED"],
    mounts: [
      { path: "/w", as: "writable" },
      { path: "/w/.vscode", as: "guarded" },
      { path: "/w/.env", as: "hidden file" },
      { path: "/w/.aws", as: "hidden folder" },
      { path: '/w/a,"b', as: "readable" },
    ],
  });
  const line = words.join(" ");
  for (const part of [
    "run --rm",
    "--pull never",
    "--network none",
    "--read-only --cap-drop ALL --security-opt no-new-privileges",
    "--user 5:6",
    "--memory 4294967296 --memory-swap 4294967296 --pids-limit 7",
    "--mount type=bind,source=/w,destination=/w --mount",
    "--mount type=bind,source=/w/.vscode,destination=/w/.vscode,readonly",
    "--mount type=bind,source=/dev/null,destination=/w/.env,readonly",
    "--mount type=tmpfs,destination=/w/.aws",
    '--mount type=bind,"source=/w/a,""b","destination=/w/a,""b",readonly',
    "--env CARRIED",
    `--workdir ${workspace.path} --entrypoint  node:24`,
  ])
    expect(line).toContain(part);
});

test("its grade is none, and what it cannot hold it refuses", async () => {
  const sandbox = container({ engine: "podman", image: "node:24" });
  expect(sandbox.grade).toBe("none");
  await expect(sandbox.wall(["true"], workspace.walls({ hosts: ["a.test"] }))).rejects.toThrow(
    /all hosts or none/,
  );
  expect(() => container({ engine: "docker", image: "--privileged" })).toThrow(/name of an image/);
});
