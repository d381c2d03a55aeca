import { describe, expect, test } from "vitest";
import { callNumber, type KnownProcessor, type SystemCall } from "../host/system-calls.ts";
import { seccompFilter } from "./seccomp-filter.ts";

/*
 * The program is interpreted here for both processors, as the kernel would. On x64 it is also run for real, by
 * `tests/findings/sandbox-lifetime.test.ts` and by every test that starts a sandbox.
 */

const ARCHITECTURES = { x64: 0xc000003e, arm64: 0xc00000b7, i386: 0x40000003, arm: 0x40000028 } as const;
const ANSWERS = new Map([
  [0x7fff0000, "allowed"],
  [0x80000000, "killed"],
  [0x00050001, "EPERM"],
  [0x00050026, "ENOSYS"],
  [0x0005005d, "EPROTONOSUPPORT"],
  [0x00050061, "EAFNOSUPPORT"],
]);

interface Call {
  readonly architecture: number;
  readonly number: number;
  readonly args?: readonly bigint[];
}

/** Interprets classic BPF as far as it is used; throws for an instruction it does not know, and for a jump out. */
function interpret(program: Uint8Array, { architecture, number, args = [] }: Call): string {
  const code = new DataView(program.buffer);
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, architecture, true);
  for (const [index, value] of args.entries())
    data.setBigUint64(16 + 8 * index, BigInt.asUintN(64, value), true);
  let held = 0;
  for (let at = 0; at < program.length; at += 8) {
    const k = code.getUint32(at + 4, true);
    const jump = (isSo: boolean) => 8 * code.getUint8(at + (isSo ? 2 : 3));
    switch (code.getUint16(at, true)) {
      case 0x20:
        held = data.getUint32(k, true);
        break;
      case 0x54:
        held = (held & k) >>> 0;
        break;
      case 0x15:
        at += jump(held === k);
        break;
      case 0x25:
        at += jump(held > k);
        break;
      case 0x06:
        return ANSWERS.get(k) ?? `unknown answer ${k}`;
      default:
        throw new Error(`unknown instruction at ${at / 8}`);
    }
  }
  throw new Error("the program has no end");
}

describe.each(["x64", "arm64"] as const)("the filter for %s", (processor: KnownProcessor) => {
  const program = seccompFilter({ processor }) as Uint8Array;
  const architecture = ARCHITECTURES[processor];
  const answer = (name: SystemCall, ...args: readonly bigint[]) =>
    interpret(program, { architecture, number: callNumber(name, processor) ?? -1, args });

  test.each([
    ...([
      "ptrace",
      "process_vm_readv",
      "process_vm_writev",
      "kcmp",
      "pidfd_getfd",
      "mount",
      "umount2",
    ] as const),
    ...(["setns", "pivot_root", "open_tree", "move_mount", "fsopen", "mount_setattr", "bpf"] as const),
    ...([
      "perf_event_open",
      "userfaultfd",
      "init_module",
      "kexec_load",
      "swapon",
      "reboot",
      "syslog",
    ] as const),
    ...(["open_by_handle_at", "acct", "quotactl", "fanotify_init"] as const),
  ])("refuses %s", (name) => {
    expect(answer(name)).toBe("EPERM");
  });

  test.each(["clone3", "io_uring_setup", "keyctl", "add_key", "request_key", "process_madvise"] as const)(
    "knows no %s, so that programs take another way",
    (name) => {
      expect(answer(name)).toBe("ENOSYS");
    },
  );

  test("lets processes and threads be made, and no namespaces", () => {
    const [thread, process, vfork] = [0x3d0f00n, 0x1200011n, 0x4111n];
    for (const flags of [thread, process, vfork]) expect(answer("clone", flags)).toBe("allowed");
    for (const bit of [17n, 25n, 26n, 27n, 28n, 29n, 30n]) {
      expect(answer("clone", (1n << bit) | 17n)).toBe("EPERM");
      expect(answer("unshare", 1n << bit)).toBe("EPERM");
    }
    expect(answer("unshare", 0x80n)).toBe("EPERM");
    expect(answer("unshare", 0x200n | 0x400n)).toBe("allowed");
  });

  test("knows sockets of four families, and of the kernel's own only those about routes", () => {
    for (const family of [1n, 2n, 10n]) expect(answer("socket", family, 1n, 0n)).toBe("allowed");
    expect(answer("socket", 16n, 3n, 0n)).toBe("allowed");
    for (const protocol of [4n, 9n, 12n, 15n, 16n])
      expect(answer("socket", 16n, 3n, protocol)).toBe("EPROTONOSUPPORT");
    for (let family = 0n; family < 64n; family += 1n)
      if (![1n, 2n, 10n, 16n].includes(family))
        expect([family, answer("socket", family)]).toEqual([family, "EAFNOSUPPORT"]);
    expect(answer("socketpair", 1n)).toBe("allowed");
    expect(answer("socketpair", 30n)).toBe("EAFNOSUPPORT");
  });

  test("looks at as much of an argument as the kernel does", () => {
    const high = 1n << 32n;
    expect(answer("ioctl", 0n, 0x5412n)).toBe("EPERM");
    expect(answer("ioctl", 0n, high | 0x5412n)).toBe("EPERM");
    expect(answer("ioctl", 0n, 0x541cn)).toBe("EPERM");
    expect(answer("ioctl", 0n, 0x5413n)).toBe("allowed");
    expect(answer("socket", high | 40n)).toBe("EAFNOSUPPORT");
    expect(answer("clone", high | 0x10000000n)).toBe("EPERM");
  });

  test("lets a program ask for its personality, and take a harmless one", () => {
    for (const value of [0n, 8n, 0x40000n, 0xffffffffn]) expect(answer("personality", value)).toBe("allowed");
    expect(answer("personality", 0x400000n)).toBe("EPERM");
  });

  test("allows every other call there is, and none that is newer than itself", () => {
    const refused = Array.from({ length: 470 }, (_, number) => interpret(program, { architecture, number }));
    expect(refused.filter((one) => one === "allowed").length).toBeGreaterThan(400);
    for (const number of [470, 500, 0x40000000, 0x40000000 + 101, 0xffffffff])
      expect(interpret(program, { architecture, number })).toBe("ENOSYS");
  });

  test("lets root of a container make no file that lends its rights", () => {
    const asRoot = seccompFilter({ processor, asRoot: true }) as Uint8Array;
    const rootAnswer = (name: SystemCall, ...args: readonly bigint[]) => {
      const number = callNumber(name, processor);
      return number === undefined ? undefined : interpret(asRoot, { architecture, number, args });
    };
    const mode = { chmod: 1, fchmod: 1, fchmodat: 2, fchmodat2: 2, creat: 1, mknod: 1, mknodat: 2 } as const;
    for (const [name, at] of Object.entries(mode) as [SystemCall, number][]) {
      const args = (value: bigint) => [...Array<bigint>(at).fill(0o7777n), value];
      if (callNumber(name, processor) === undefined) continue;
      for (const value of [0o4755n, 0o2755n, 0o6000n]) expect(rootAnswer(name, ...args(value))).toBe("EPERM");
      expect(rootAnswer(name, ...args(0o1777n))).toBe("allowed");
      expect(answer(name, ...args(0o4755n))).toBe("allowed");
    }
    expect(rootAnswer("openat", 0n, 0n, 0x41n, 0o4755n)).toBe("EPERM");
    expect(rootAnswer("openat", 0n, 0n, 0x410001n, 0o2755n)).toBe("EPERM");
    expect(rootAnswer("openat", 0n, 0n, 0x41n, 0o644n)).toBe("allowed");
    expect(rootAnswer("openat", 0n, 0n, 0x10000n, 0o4755n)).toBe("allowed");
    expect(rootAnswer("openat2")).toBe("ENOSYS");
    expect(answer("openat2")).toBe("allowed");
    expect(rootAnswer("ptrace")).toBe("EPERM");
  });

  test("kills a process that makes calls of another processor", () => {
    for (const other of Object.values(ARCHITECTURES).filter((one) => one !== architecture))
      expect(interpret(program, { architecture: other, number: 1 })).toBe("killed");
  });
});

test("there is no filter for a processor with unknown system calls", () => {
  expect(seccompFilter({ processor: "riscv64" })).toBeUndefined();
});
