# Within the sandbox: tries to reach what must not be reached, and prints what came through, one line each. The list is
# followed by how many tries there were.
import ctypes, fcntl, mmap, os, platform, resource, socket, struct, subprocess, sys

outside, port = sys.argv[1], int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
ARM = platform.machine() == "aarch64"
tried, through = 0, []


def attempt(name, act):
    global tried
    tried += 1
    try:
        value = act()
    except Exception:
        return
    if value is not False and value is not None:
        through.append(f"{name}: {value!r}"[:120])


def call(numbers, *arguments):
    number = numbers[1] if ARM else numbers[0]
    if number is None:
        return None
    ctypes.set_errno(0)
    value = libc.syscall(number, *arguments)
    return value if value >= 0 else None


def block(size, start=b""):
    return ctypes.create_string_buffer(start + b"\0" * (size - len(start)), size)


def read(path):
    return lambda: open(path, "rb").read(64) or None


def write(path, text=b"1"):
    return lambda: os.write(os.open(path, os.O_WRONLY), text)


attempt(
    "files handed on",
    lambda: [f for f in os.listdir("/proc/self/fd") if int(f) > 2 and os.path.exists(f"/proc/self/fd/{f}")] or None,
)

CALLS = {
    "seize process 1": ((101, 117), 0x4206, 1, 0, 0),
    "attach to process 1": ((101, 117), 16, 1, 0, 0),
    "read memory of process 1": ((310, 270), 1, block(16), 0, block(16), 0, 0),
    "write memory of process 1": ((311, 271), 1, block(16), 0, block(16), 0, 0),
    "compare with process 1": ((312, 272), 1, os.getpid(), 0, 0, 0),
    "a file of itself by pidfd": ((438, 438), 0, 0, 0),
    "advise itself": ((440, 440), 0, 0, 0, 0, 0),
    "reap memory": ((448, 448), 0, 0),
    "move pages": ((279, 239), 1, 0, 0, 0, 0, 0),
    "migrate pages": ((256, 238), 1, 0, 0, 0),
    "session keyring": ((250, 219), 0, -3, 0),
    "user keyring": ((250, 219), 0, -4, 0),
    "add a key": ((248, 217), b"user", b"name", b"value", 5, -2),
    "request a key": ((249, 218), b"user", b"toolkeep:token", None, 0),
    "new session keyring": ((250, 219), 1, b"mine"),
    "userfaultfd": ((323, 282), 1),
    "bpf": ((321, 280), 0, block(72), 72),
    "perf": ((298, 241), block(112, b"\1\0\0\0\x70\0\0\0"), 0, -1, -1, 0),
    "io_uring": ((425, 425), 4, block(120)),
    "new user namespace": ((272, 97), 0x10000000),
    "new mount namespace": ((272, 97), 0x20000),
    "new network namespace": ((272, 97), 0x40000000),
    "new process namespace": ((272, 97), 0x20000000),
    "new time namespace": ((272, 97), 0x80),
    "new cgroup namespace": ((272, 97), 0x2000000),
    "clone3": ((435, 435), block(64, struct.pack("8Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0)), 64),
    "clone into a user namespace": ((56, 220), 0x10000011, 0, 0, 0, 0),
    "enter a namespace": ((308, 268), os.open("/proc/self/ns/uts", 0), 0),
    "mount": ((165, 40), b"t", b"/tmp", b"tmpfs", 0, 0),
    "remount": ((165, 40), b"", b"/usr", b"", 0x1020, 0),
    "unmount": ((166, 39), b"/proc/sys", 2),
    "unmount what covers process 1": ((166, 39), b"/proc/1", 2),
    "pivot_root": ((155, 41), b"/", b"/"),
    "chroot": ((161, 51), b"/tmp"),
    "open_tree": ((428, 428), -100, b"/", 0),
    "open_tree, cloned": ((428, 428), -100, b"/", 1),
    "open_tree_attr": ((467, 467), -100, b"/", 0, 0, 0),
    "fsopen": ((430, 430), b"tmpfs", 0),
    "fspick": ((433, 433), -100, b"/tmp", 0),
    "move_mount": ((429, 429), -100, b"/tmp", -100, b"/usr", 0),
    "mount_setattr": ((442, 442), -100, b"/usr", 0, block(32), 32),
    "load a module": ((175, 105), b"", 0, b""),
    "unload a module": ((176, 106), b"x", 0),
    "kexec": ((246, 104), 0, 0, 0, 0),
    "swapon": ((167, 224), b"/tmp/x", 0),
    "reboot": ((169, 142), 0xFEE1DEAD, 672274793, 0, 0),
    "acct": ((163, 89), b"/tmp/x"),
    "quotactl": ((179, 60), 0, 0, 0, 0),
    "kernel log": ((103, 116), 3, block(64), 64),
    "size of the kernel log": ((103, 116), 10, 0, 0),
    "open by handle": ((304, 265), -100, block(24), 0),
    "fanotify": ((300, 262), 0x200, 0),
    "iopl": ((172, None), 3),
    "be 32 bits with all flags": ((135, 92), 0x0400000),
    "x32": ((0x40000000 + 39, None),),
    "a call of the future": ((500, 500),),
    "hostname": ((170, 161), b"x", 1),
    "clock": ((227, 112), 0, block(16)),
    "become root": ((105, 146), 0),
    "groups": ((116, 159), 0, 0),
    "real-time io": ((251, 30), 1, 0, 1 << 13),
    "shared memory of outside": ((29, 194), 0x1234, 0, 0),
    "queue of outside": ((240, 180), b"/hostq", 0, 0, 0),
}
for name, (numbers, *arguments) in CALLS.items():
    attempt(name, lambda: call(numbers, *arguments))

for path in ("secret.txt",):
    for way in ("", "/proc/1/root", "/proc/self/root", "/proc/1/cwd/.."):
        attempt(f"read by {way}", read(f"{way}{outside}/{path}"))
for path in (
    "/proc/1/mem", "/proc/1/task/1/mem", "/proc/1/oom_score_adj", "/proc/1/uid_map", "/proc/1/attr/current",
    "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger",
    "/proc/sys/fs/binfmt_misc/register", "/sys/kernel/uevent_helper", "/sys/fs/cgroup/cgroup.procs",
    "/dev/kmsg", "/dev/mem", "/dev/vda", "/usr/bin/ls", "/etc/passwd",
):
    attempt(f"write {path}", write(path))
for path in (
    "/proc/1/environ", "/proc/1/maps", "/proc/1/auxv", "/proc/1/syscall", "/proc/kcore", "/dev/kmsg", "/etc/shadow",
    "/proc/keys", "/var/run/docker.sock", "/run/dbus/system_bus_socket",
):
    attempt(f"read {path}", read(path))
attempt("files of process 1", lambda: os.listdir("/proc/1/fd") or None)

def reach(family, address):
    def act():
        with socket.socket(family, socket.SOCK_STREAM) as one:
            one.settimeout(1)
            one.connect(address)
            return True

    return act


attempt("port of outside", reach(socket.AF_INET, ("127.0.0.1", port)))
attempt("abstract socket of outside", reach(socket.AF_UNIX, "\0host-abstract"))
for name, family, kind, protocol in (
    ("vsock", 40, 1, 0), ("vsock datagrams", 40, 2, 0), ("alg", 38, 5, 0), ("packet", 17, 3, 0), ("key", 15, 3, 2),
    ("bluetooth", 31, 3, 0), ("tipc", 30, 1, 0), ("can", 29, 3, 1), ("xdp", 44, 3, 0), ("qipcrtr", 42, 2, 0),
    ("smc", 43, 1, 0), ("nfc", 39, 5, 0), ("raw", 2, 3, 1), ("audit", 16, 3, 9), ("netfilter", 16, 3, 12),
    ("uevents", 16, 2, 15), ("generic netlink", 16, 3, 16), ("sock_diag", 16, 3, 4), ("x25", 9, 5, 0), ("ax25", 3, 2, 0),
):
    attempt(f"socket: {name}", lambda: socket.socket(family, kind, protocol).fileno())
attempt("pair of another family", lambda: socket.socketpair(30, 1))
attempt("interfaces but lo", lambda: [n for _, n in socket.if_nameindex() if n != "lo"] or None)


def terminal(request):
    def act():
        _, terminal_file = os.openpty()
        fcntl.ioctl(terminal_file, request, b"x")
        return True

    return act


attempt("TIOCSTI", terminal(0x5412))
attempt("TIOCSTI with high bits", lambda: call((16, 29), os.openpty()[1], 0x100005412, b"x"))
attempt("TIOCLINUX", terminal(0x541C))
attempt("more open files", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (1 << 20, 1 << 20)) or True)
attempt("core dumps", lambda: resource.getrlimit(resource.RLIMIT_CORE)[1] or None)
attempt("su", lambda: subprocess.run(["su", "-c", "id"], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0)


def by_old_interrupt():
    # `int 0x80` means the calls of another processor: getpid is 20 there.
    page = mmap.mmap(-1, 4096, prot=7)
    page.write(b"\xb8\x14\0\0\0\xcd\x80\xc3")
    child = os.fork()
    if child == 0:
        address = ctypes.addressof(ctypes.c_char.from_buffer(page))
        os._exit(0 if ctypes.CFUNCTYPE(ctypes.c_int)(address)() > 0 else 1)
    return os.waitpid(child, 0)[1] == 0


if not ARM:
    attempt("another processor's calls", by_old_interrupt)
print("\n".join(through + [f"tried {tried}"]))
