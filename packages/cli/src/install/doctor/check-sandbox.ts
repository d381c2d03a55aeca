import { type DoctorReport, doctor } from "@toolkeep/node";
import type { InstallRecord } from "../../clients/installed/install-record.ts";
import { type Checked, gap, note } from "./finding.ts";

const ABOUT = "sandbox";

export type SandboxProbe = () => Promise<Pick<DoctorReport, "isolation" | "sandboxes" | "advice">>;

/** Probes the sandboxes of this machine: commands in them try to break out. */
export async function checkSandbox(
  installed: readonly Pick<InstallRecord, "client" | "confines">[],
  probe: SandboxProbe = doctor,
): Promise<Checked> {
  const { isolation, sandboxes, advice } = await probe();
  const best = sandboxes.find((one) => one.isolation === isolation);
  if (isolation === "files-and-network")
    return {
      facts: [{ about: ABOUT, text: `${best?.name ?? ""}: proven for files and network` }],
      findings: [],
    };
  const confined = installed.filter(({ confines }) => confines === true).map(({ client }) => client);
  const why = sandboxes.find(({ error }) => error !== undefined)?.error ?? "a probe broke out of it";
  const found = { code: "sandbox_dead", about: ABOUT, who: "administrator", fix: advice } as const;
  return {
    facts: [
      {
        about: ABOUT,
        text: isolation === "none" ? "none works here" : `${best?.name}: proven for files only`,
      },
    ],
    findings: [
      confined.length === 0
        ? note({ ...found, message: `No sandbox works here: ${why}. Commands run without one.` })
        : gap({
            ...found,
            message: `The commands of ${confined.join(", ")} are to run in a sandbox, and none works here: ${why}.`,
          }),
    ],
  };
}
