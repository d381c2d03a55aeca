import {
  callNumber,
  isKnownProcessor,
  type KnownProcessor,
  LAST_KNOWN_CALL,
  type SystemCall,
} from "../host/system-calls.ts";
import {
  ARCHITECTURES,
  CONSOLE,
  CREATING,
  ERRORS,
  FORBIDDEN,
  INTERNET,
  LENDING_BITS,
  MISSING,
  NETLINK,
  NETLINK_ROUTE,
  NETLINK_SOCK_DIAG,
  NEW_NAMESPACES,
  NEW_TIME,
  PERSONALITIES,
  TERMINAL_INPUT,
  UNIX,
} from "./refused-calls.ts";

/*
 * The filter for system calls of a sandboxed command, as the bytes that `bwrap --seccomp` takes. It refuses what
 * reaches other processes, the kernel's own state, namespaces and mounts; everything else is allowed. The kernel
 * gives it `struct seccomp_data`: number, architecture, instruction pointer, six arguments of eight bytes.
 */

const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENTS_AT = 16;

const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const ERRNO = 0x00050000;

/** What depends on arguments. Each part ends in an answer. */
const BY_ARGUMENTS: Partial<Record<SystemCall, readonly BpfInstruction[]>> = {
  clone: withoutFlags(NEW_NAMESPACES),
  unshare: withoutFlags(NEW_NAMESPACES | NEW_TIME),
  ioctl: [loadArgument(1), ...anyOf([TERMINAL_INPUT, CONSOLE], "EPERM"), answer(ALLOW)],
  personality: [loadArgument(0), ...anyOf(PERSONALITIES, "allow"), answer(ERRNO | ERRORS.EPERM)],
  socket: [
    loadArgument(0),
    ...anyOf([UNIX, ...INTERNET], "allow"),
    { do: "equal", value: NETLINK, no: "EAFNOSUPPORT" },
    loadArgument(2),
    { do: "equal", value: NETLINK_ROUTE, yes: "allow", no: "EPROTONOSUPPORT" },
  ],
  socketpair: [loadArgument(0), { do: "equal", value: UNIX, yes: "allow", no: "EAFNOSUPPORT" }],
};

/** For commands in a place, whose network is their own: which ports are open there. */
const IN_PLACE: Partial<Record<SystemCall, readonly BpfInstruction[]>> = {
  socket: [
    loadArgument(0),
    ...anyOf([UNIX, ...INTERNET], "allow"),
    { do: "equal", value: NETLINK, no: "EAFNOSUPPORT" },
    loadArgument(2),
    ...anyOf([NETLINK_ROUTE, NETLINK_SOCK_DIAG], "allow"),
    answer(ERRNO | ERRORS.EPROTONOSUPPORT),
  ],
};

/**
 * For commands that run as root: a file that they make belongs to root outside as well, and must not lend that to
 * anybody. `openat2` has its mode where no filter can see it.
 */
const AS_ROOT: Partial<Record<SystemCall, readonly BpfInstruction[]>> = {
  chmod: withoutBits(1, LENDING_BITS),
  fchmod: withoutBits(1, LENDING_BITS),
  fchmodat: withoutBits(2, LENDING_BITS),
  fchmodat2: withoutBits(2, LENDING_BITS),
  creat: withoutBits(1, LENDING_BITS),
  mknod: withoutBits(1, LENDING_BITS),
  mknodat: withoutBits(2, LENDING_BITS),
  open: ifCreating(1, withoutBits(2, LENDING_BITS)),
  openat: ifCreating(2, withoutBits(3, LENDING_BITS)),
};

interface FilterOptions {
  readonly processor?: string;
  /** Whether the command runs as root, of a container. Default: `false`. */
  readonly asRoot?: boolean;
  readonly inPlace?: boolean;
}

/** The bytes of the filter for a processor; `undefined` for one whose system calls are unknown here. */
export function seccompFilter(options: FilterOptions = {}): Uint8Array | undefined {
  const { processor = process.arch, ...user } = options;
  return isKnownProcessor(processor) ? bpfBytes(filterFor(processor, user)) : undefined;
}

/** What is refused by its number comes first, then what depends on arguments, each with a part of its own further down. */
function filterFor(
  processor: KnownProcessor,
  { asRoot = false, inPlace = false }: FilterOptions,
): readonly BpfInstruction[] {
  const onCall = (name: SystemCall, yes: string): readonly BpfInstruction[] => {
    const value = callNumber(name, processor);
    return value === undefined ? [] : [{ do: "equal", value, yes }];
  };
  const byArguments = { ...BY_ARGUMENTS, ...(asRoot ? AS_ROOT : {}), ...(inPlace ? IN_PLACE : {}) };
  const missing: readonly SystemCall[] = asRoot ? [...MISSING, "openat2"] : MISSING;
  const parts = Object.entries(byArguments) as [SystemCall, readonly BpfInstruction[]][];
  return [
    load(ARCHITECTURE_AT),
    { do: "equal", value: ARCHITECTURES[processor], no: "another processor" },
    load(NUMBER_AT),
    // Newer than the list, or of x32, whose numbers are above all others.
    { do: "above", value: LAST_KNOWN_CALL, yes: "ENOSYS" },
    ...FORBIDDEN.flatMap((name) => onCall(name, "EPERM")),
    ...missing.flatMap((name) => onCall(name, "ENOSYS")),
    ...parts.flatMap(([name]) => onCall(name, name)),
    answer(ALLOW),
    ...parts.flatMap(([name, part]) => [label(name), ...part]),
    ...Object.entries(ERRORS).flatMap(([name, value]) => [label(name), answer(ERRNO | value)]),
    ...[label("another processor"), answer(KILL_PROCESS)],
    ...[label("allow"), answer(ALLOW)],
  ];
}

function load(value: number): BpfInstruction {
  return { do: "load", value };
}

/** The lower half of an argument, which is all of an `int`, and of the flags that there are. */
function loadArgument(index: number): BpfInstruction {
  return load(ARGUMENTS_AT + 8 * index);
}

function answer(value: number): BpfInstruction {
  return { do: "return", value };
}

function label(name: string): BpfInstruction {
  return { do: "label", name };
}

function anyOf(values: readonly number[], yes: keyof typeof ERRORS | "allow"): readonly BpfInstruction[] {
  return values.map((value) => ({ do: "equal", value, yes }));
}

/** Refuses with `EPERM` if any of the flags is set in the first argument. */
function withoutFlags(value: number): readonly BpfInstruction[] {
  return withoutBits(0, value);
}

function withoutBits(index: number, value: number): readonly BpfInstruction[] {
  return [loadArgument(index), { do: "and", value }, { do: "equal", value: 0, yes: "allow", no: "EPERM" }];
}

/** The mode of a file is an argument only if the flags say that one is made. */
function ifCreating(index: number, then: readonly BpfInstruction[]): readonly BpfInstruction[] {
  return [
    loadArgument(index),
    { do: "and", value: CREATING },
    { do: "equal", value: 0, yes: "allow" },
    ...then,
  ];
}

/*
 * The small part of the kernel's classic packet filter language that a filter for system calls needs, and its
 * translation to the bytes that the kernel takes.
 */

/** One instruction, or the label of the one after it. Jumps lead to a label further down; without one, to the next. */
type BpfInstruction =
  | { readonly do: "label"; readonly name: string }
  | { readonly do: "load"; readonly value: number }
  | { readonly do: "and"; readonly value: number }
  | { readonly do: "equal" | "above"; readonly value: number; readonly yes?: string; readonly no?: string }
  | { readonly do: "return"; readonly value: number };

const CODES = { load: 0x20, and: 0x54, equal: 0x15, above: 0x25, return: 0x06 } as const;
const BYTES_EACH = 8;
const FARTHEST = 255;

/** The bytes of `struct sock_filter`, little-endian, one after the other. */
function bpfBytes(program: readonly BpfInstruction[]): Uint8Array {
  const labels = new Map<string, number>();
  const instructions = program.filter((one) => one.do !== "label");
  for (const [at, one] of program.entries()) if (one.do === "label") labels.set(one.name, at - labels.size);
  const bytes = new DataView(new ArrayBuffer(instructions.length * BYTES_EACH));
  const distance = (label: string | undefined, from: number): number => {
    if (label === undefined) return 0;
    const steps = (labels.get(label) ?? 0) - from - 1;
    if (steps < 0 || steps > FARTHEST) throw new Error(`no jump from ${from} reaches ${label}`);
    return steps;
  };
  for (const [at, one] of instructions.entries()) {
    const start = at * BYTES_EACH;
    bytes.setUint16(start, CODES[one.do], true);
    bytes.setUint8(start + 2, "yes" in one ? distance(one.yes, at) : 0);
    bytes.setUint8(start + 3, "no" in one ? distance(one.no, at) : 0);
    bytes.setUint32(start + 4, one.value, true);
  }
  return new Uint8Array(bytes.buffer);
}
