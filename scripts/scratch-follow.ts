import { randomUUID } from "node:crypto";
import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync, mkdtempSync, cpSync, rmSync, existsSync, mkdirSync, chmodSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { OWN_LINE } from "../tests/cli/cli-bench.ts";
import { CLIENT_MODES } from "../tests/day/hook/clients.ts";
import { applyEdit, inProcess, playStep } from "../tests/day/hook/play-hook.ts";
import { inHome, placed } from "../tests/day/hook/shop.ts";
import { DAYS, MORE_DAYS, stepsOf } from "../tests/day/unseen/days.ts";
import { openProjects } from "../tests/day/unseen/open-projects.ts";

const modes = CLIENT_MODES.filter((m: any) => ["claude-code, auto", "codex, bypassPermissions"].includes(`${m.client}, ${m.name ?? m.mode}`));
console.error(modes.length, Object.keys(CLIENT_MODES[0] as any));
const only = process.argv[3]?.split(",");
const days = [...DAYS, ...MORE_DAYS].filter((d) => only === undefined || only.includes(d));
const projects = await openProjects(days, [...new Set(modes.map((m: any) => m.client))]);
const out: any[] = [];
const tmp = mkdtempSync("/tmp/follow-");
try {
  for (const mode of modes) {
    projects.restore();
    for (const day of days) {
      const shop = projects.of(day);
      mkdirSync(join(tmp, "bin"), { recursive: true });
      writeFileSync(join(tmp, "bin/toolkeep"), `#!/bin/sh\nexec ${OWN_LINE} "$@"\n`);
      chmodSync(join(tmp, "bin/toolkeep"), 0o755);
      await inHome(shop, async () => {
        const together = randomUUID();
        for (const step of stepsOf(day)) {
          const conversation = step.kind === "dangerous" ? randomUUID() : together;
          const callId = `t${step.number}`;
          const made = await playStep(step, { mode, shop, conversation, callId }, inProcess);
          for (const one of made) {
            if (one.answer === "left" || one.answer === "allowed") continue;
            const row: any = { day, number: step.number, mode: `${(mode as any).client}, ${(mode as any).name ?? (mode as any).mode}`, kind: step.kind, command: step.name, answer: one.answer, reason: one.reason };
            const cmd = /run `((?:toolkeep [^`]*)+)`/.exec(one.reason)?.[1] ?? /run `(.*)`\.?$/.exec(one.reason)?.[1];
            if (cmd !== undefined && cmd.startsWith("toolkeep allow")) {
              row.allow = cmd;
              const config = join(shop.home, ".config");
              const saved = join(tmp, "saved");
              rmSync(saved, { recursive: true, force: true });
              const roots = [".config", ".toolkeep"].filter((n) => existsSync(join(shop.home, n)));
              for (const n of roots) cpSync(join(shop.home, n), join(saved, n), { recursive: true });
              const proj = existsSync(join(shop.project, ".toolkeep"));
              if (proj) cpSync(join(shop.project, ".toolkeep"), join(saved, "project"), { recursive: true });
              const ran = spawnSync("bash", ["-c", cmd.replaceAll("toolkeep allow ", "toolkeep allow --yes ")], { cwd: shop.project, env: { ...shop.environment, PATH: `${tmp}/bin:${shop.environment['PATH']}` }, encoding: "utf8" });
              row.allowCode = ran.status; row.allowOut = `${ran.stdout}${ran.stderr}`.trim();
              const again = await playStep(step, { mode, shop, conversation, callId: `${callId}b` }, inProcess);
              row.after = again[0]?.answer; row.afterReason = again[0]?.reason;
              for (const n of [".config", ".toolkeep"]) { rmSync(join(shop.home, n), { recursive: true, force: true }); if (existsSync(join(saved, n))) cpSync(join(saved, n), join(shop.home, n), { recursive: true }); }
              rmSync(join(shop.project, ".toolkeep"), { recursive: true, force: true });
              if (proj) cpSync(join(saved, "project"), join(shop.project, ".toolkeep"), { recursive: true });
            }
            out.push(row);
          }
          if (step.kind === "dangerous" || made.some(({ answer }) => answer === "denied" || answer === "safe form")) continue;
          applyEdit(placed(step.call, shop));
        }
      });
      console.error(day, out.length);
    }
  }
} finally {
  writeFileSync(process.argv[2] as string, out.map((o) => JSON.stringify(o)).join("\n"));
  projects.remove();
  rmSync(tmp, { recursive: true, force: true });
}
