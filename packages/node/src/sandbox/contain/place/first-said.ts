import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";

interface Expected {
  readonly withinMs: number;
  /** Its first group is what is returned. Default: a line. */
  readonly what?: RegExp;
}

/** What a process says first; `undefined` if it ends before, or takes too long. */
export function firstSaid(
  child: Pick<ChildProcess, "once">,
  out: Readable,
  { withinMs, what = /(.*)\n/ }: Expected,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let said = "";
  const take = (chunk: string) => {
    said += chunk;
    const [, one] = what.exec(said) ?? [];
    if (one !== undefined) resolve(one);
  };
  out.setEncoding("utf8").on("data", take);
  for (const event of ["close", "error"]) child.once(event, () => resolve(undefined));
  const timer = setTimeout(() => resolve(undefined), withinMs);
  return promise.finally(() => {
    clearTimeout(timer);
    out.off("data", take);
  });
}
