import { chmodSync, mkdirSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { containerArgs, containerSandbox } from "./container.ts";
import { checkedLimits } from "./host/limits.ts";
import { type SandboxedWorkspace, sandboxedWorkspace } from "./testing/sandboxed-workspace.test.kit.ts";

let workspace: SandboxedWorkspace;

beforeEach(() => {
  workspace = sandboxedWorkspace();
  mkdirSync(`${workspace.path}/x`);
  chmodSync(workspace.path, 0o755);
});

test("a container is closed but for what the profile names", () => {
  const args = containerArgs({
    image: "node:24",
    limits: checkedLimits({ processes: 7 }),
    profile: workspace.profile(),
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
  const line = args.join(" ");
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

test("its isolation level is none, and what it cannot enforce it refuses", async () => {
  const sandbox = containerSandbox({ engine: "podman", image: "node:24" });
  expect(sandbox.isolation).toBe("none");
  await expect(sandbox.wrap(["true"], workspace.profile({ hosts: ["a.test"] }))).rejects.toThrow(
    /all hosts or none/,
  );
  expect(() => containerSandbox({ engine: "docker", image: "--privileged" })).toThrow(/name of an image/);
});
