import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";

/** The first line that a process says, or the first group of `what`; `undefined` if it ends before, or takes too long. */
export function firstSaid(
  child: Pick<ChildProcess, "once">,
  out: Readable,
  withinMs: number,
  what = /(.*)\n/,
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
