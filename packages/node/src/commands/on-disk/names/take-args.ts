/** Args by what they are: each option with its value, if it has one, and the rest. */
export interface TakenArgs {
  readonly options: readonly { readonly name: string; readonly value?: string }[];
  readonly operands: readonly string[];
}

export interface ValuedOptions {
  /** Letters whose value is the rest of the arg, or the next one. */
  readonly letters: string;
  /** Long options, without the dashes, whose value is after a `=` or the next arg. */
  readonly names: string;
}

/** As `getopt` of GNU takes them. */
export function takeArgs(args: readonly string[], valued: ValuedOptions): TakenArgs {
  const names = new Set(valued.names.split(" "));
  const options: Options = [];
  const operands: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const [arg = "", next = ""] = args.slice(at, at + 2);
    if (arg === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (!arg.startsWith("-") || arg === "-") operands.push(arg);
    else if (arg.startsWith("--")) at += takeLong(arg, next, names, options);
    else at += takeLetters(arg, next, valued.letters, options);
  }
  return { options, operands };
}

type Options = { name: string; value?: string }[];

/** How many further args were taken. */
function takeLong(arg: string, next: string, valued: ReadonlySet<string>, options: Options): number {
  const equals = arg.indexOf("=");
  const name = equals === -1 ? arg.slice(2) : arg.slice(2, equals);
  const isNext = equals === -1 && valued.has(name);
  if (isNext) options.push({ name, value: next });
  else options.push(equals === -1 ? { name } : { name, value: arg.slice(equals + 1) });
  return isNext ? 1 : 0;
}

/** How many further args were taken. */
function takeLetters(arg: string, next: string, valued: string, options: Options): number {
  for (let at = 1; at < arg.length; at += 1) {
    const name = arg.charAt(at);
    if (!valued.includes(name)) options.push({ name });
    else {
      const rest = arg.slice(at + 1);
      options.push({ name, value: rest === "" ? next : rest });
      return rest === "" ? 1 : 0;
    }
  }
  return 0;
}

export function hasOption({ options }: TakenArgs, ...names: readonly string[]): boolean {
  return options.some(({ name }) => names.includes(name));
}

export function valuesOf({ options }: TakenArgs, ...names: readonly string[]): readonly string[] {
  return options.flatMap(({ name, value }) => (names.includes(name) && value !== undefined ? [value] : []));
}
