import type { Command } from "commander";
import { type Done, optionsOf, subcommand } from "./command-line.ts";

const ID = "may be shortened";

export function addApprovals(program: Command, done: Done): void {
  const parent = subcommand({ parent: program, name: "approvals", description: "what waits for a person" });
  const list = async (_options: unknown, command: Command) => {
    const { approvalsCommand } = await import("../commands/approvals.ts");
    done(await approvalsCommand(optionsOf(command)));
  };
  parent.action(list);
  subcommand({ parent, name: "list", description: "the same" }).action(list);
  addVerdicts(program, done);
  subcommand({ parent: program, name: "answer", description: "answer the questions of a tool" })
    .argument("<id>", ID)
    .argument("<texts...>", "one for each question; of several choices, separated by commas")
    .action(async (id: string, texts: string[], _options, command: Command) => {
      const { answerCommand } = await import("../commands/answer.ts");
      done(await answerCommand({ ...optionsOf(command), id, texts }));
    });
}

function addVerdicts(parent: Command, done: Done): void {
  subcommand({ parent, name: "approve", description: "let something pass that waits" })
    .argument("<id>", ID)
    .option("--always", "and from now on the very same without asking")
    .option("--by <name>", "who answers")
    .action(async (id: string, _options, command: Command) => {
      const { approveCommand } = await import("../commands/approve.ts");
      done(await approveCommand({ ...optionsOf(command), id }));
    });
  subcommand({ parent, name: "reject", description: "refuse something that waits" })
    .argument("<id>", ID)
    .argument("[words...]", "what the model is told")
    .option("--by <name>", "who answers")
    .action(async (id: string, words: string[], _options, command: Command) => {
      const { rejectCommand } = await import("../commands/reject.ts");
      done(await rejectCommand({ ...optionsOf(command), id, words }));
    });
}
