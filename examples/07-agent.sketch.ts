import type { PolicyDefinition, Session, SessionEvent } from "@toolkeep/core";
import { openWorkspace, type Workspace } from "@toolkeep/node";
import { standardTools } from "@toolkeep/tools";

/*
 * A sketch of the agent loop, which does not exist yet. It is type-checked and not run: what it declares is what the
 * loop will need from the packages that exist.
 */
interface AgentOptions {
  readonly model: string;
  readonly workspace: Workspace;
  readonly policy: readonly string[] | PolicyDefinition;
  readonly instructions?: string;
}

interface Agent extends AsyncDisposable {
  readonly session: Session;
  run(prompt: string): AsyncIterable<SessionEvent>;
}

declare function createAgent(
  options: AgentOptions & { readonly tools?: ReturnType<typeof standardTools> },
): Promise<Agent>;

await using workspace = await openWorkspace({ roots: ["."] });
await using agent = await createAgent({
  model: "anthropic/claude-sonnet-4.5",
  workspace,
  tools: standardTools(),
  policy: ["allow fs.write src/**", "ask shell.run"],
  instructions: "You fix bugs.",
});
for await (const event of agent.run("Fix the failing test.")) console.log(event.type);
