import { beforeAll, describe } from "vitest";
import { whyNoJail } from "./outer-jail.ts";

export type JailUser = "root" | "user";

interface JailScenes<Seen> {
  /** What the tests are about; each user is named behind it. */
  readonly title?: string;
  readonly whyNot?: (as: JailUser) => string | undefined;
  readonly play: (as: JailUser) => Promise<Seen>;
}

/**
 * Tests of what is seen in a jail, as root and as an ordinary user. Both are played at once, because each waits more
 * than it works, and only if one of the tests is run. Where there is no jail, the reason is in the title.
 */
export function describeInJail<Seen>(
  { title, whyNot = whyNoJail, play }: JailScenes<Seen>,
  tests: (seen: () => Seen, as: JailUser) => void,
): void {
  describe(title ?? "in the jail", () => {
    const users = (["root", "user"] as const).map((as) => ({ as, reason: whyNot(as) }));
    let playing: ReadonlyMap<JailUser, Promise<Seen>> | undefined;

    for (const { as, reason } of users)
      describe.skipIf(reason !== undefined)(
        `as ${as}${reason === undefined ? "" : `: skipped, ${reason}`}`,
        () => {
          let seen: Seen | undefined;
          beforeAll(async () => {
            playing ??= started(
              users.filter((one) => one.reason === undefined).map((one) => one.as),
              play,
            );
            seen = await playing.get(as);
          });
          tests(() => seen as Seen, as);
        },
      );
  });
}

function started<Seen>(
  users: readonly JailUser[],
  play: (as: JailUser) => Promise<Seen>,
): ReadonlyMap<JailUser, Promise<Seen>> {
  const playing = new Map(users.map((as) => [as, play(as)]));
  // Each is waited for by its own tests, which fail by it.
  for (const one of playing.values()) one.catch(() => {});
  return playing;
}
