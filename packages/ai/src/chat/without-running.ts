import type { Session, ToolkeepError } from "@toolkeep/core";
import { invalidOption } from "@toolkeep/core/internal";

/** The methods that run calls. Outside of the SDK a call would fail, and its approval would be spent. */
const RUNNING: ReadonlySet<PropertyKey> = new Set<keyof Session>(["call", "run", "resume"]);

/** The session of a chat without the methods that run calls. */
export function withoutRunning(session: Session): Session {
  return new Proxy(session, {
    get(target, name) {
      if (RUNNING.has(name)) return () => Promise.reject(sdkRuns(String(name)));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function sdkRuns(method: string): ToolkeepError {
  return invalidOption(
    `\`session.${method}\` cannot be used on the session of a chat: the AI SDK runs its calls. Pass the messages to the SDK; \`receive(messages)\` adds the answers that were given elsewhere.`,
  );
}
