"""Runs a program and looks at each system call that changes something in a folder, before the kernel does it.

Argument: JSON with `argv`, `folder`, `unsynced` (inodes whose content is not on the disk yet), `at` (the number of the
call before which everything is killed; 0: none), `alone` (kills the first process only, and lets what it started go on
after so many seconds), `ignored` (a part of the name of files whose sync does nothing) and `full` (from which call on
the disk is full; 0: never).
Prints the calls as JSON, and the inodes whose content was not on the disk in the end."""
import ctypes, json, os, signal, struct, sys, time

want = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long
# Numbers of x86-64: by what their first arguments are.
BY_FD = {1: "write", 18: "pwrite", 20: "writev", 296: "pwritev", 77: "ftruncate", 91: "fchmod", 74: "fsync", 75: "fdatasync"}
BY_PATH = {82: "rename", 87: "unlink", 83: "mkdir", 84: "rmdir", 86: "link", 90: "chmod", 76: "truncate", 2: "open"}
BY_FOLDER = {257: "openat", 264: "renameat", 316: "renameat2", 263: "unlinkat", 258: "mkdirat", 265: "linkat",
             268: "fchmodat", 452: "fchmodat2", 280: "utimensat"}
OF_ALL = {306: "syncfs", 162: "sync"}
LINKS = {88: "symlink", 266: "symlinkat"}
NAMES = {**BY_FD, **BY_PATH, **BY_FOLDER, **OF_ALL, **LINKS}
CREATES = os.O_CREAT | os.O_TRUNC
SECCOMP, EXITKILL, FORKS = 7, 0x100000, 2 | 4 | 8 | 16 | 128
TRACE_ME, CONT, REGS, SET_REGS, OPTIONS = 0, 7, 12, 13, 0x4200
# They need room on the disk. A change of names needs it only where a folder grows.
TAKING = ("open", "openat", "write", "pwrite", "writev", "pwritev", "mkdir", "mkdirat", "link", "linkat", "symlink", "symlinkat")

def watched():
    parts = [struct.pack("HBBI", 0x20, 0, 0, 0)]
    for number in NAMES:
        parts += [struct.pack("HBBI", 0x15, 0, 1, number), struct.pack("HBBI", 0x06, 0, 0, 0x7FF00000)]
    parts.append(struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000))
    return b"".join(parts), len(parts)

main = os.fork()
if main == 0:
    text, count = watched()
    program = ctypes.create_string_buffer(text)
    libc.prctl(38, 1, 0, 0, 0)
    libc.ptrace(TRACE_ME, 0, None, None)
    os.kill(os.getpid(), signal.SIGSTOP)
    wanted = struct.pack("HxxxxxxQ", count, ctypes.addressof(program))
    if libc.prctl(22, 2, ctypes.create_string_buffer(wanted), 0, 0) != 0:
        os._exit(125)
    os.execv(want["argv"][0], want["argv"])

def text_at(pid, address):
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        memory.seek(address)
        return memory.read(4096).split(b"\0")[0].decode()

def full(pid, path, fd):
    if path.startswith("/proc/self/"):
        path = f"/proc/{pid}/{path[11:]}"
    if not path.startswith("/"):
        path = os.path.join(os.readlink(f"/proc/{pid}/cwd" if fd < 0 else f"/proc/{pid}/fd/{fd}"), path)
    folder, name = os.path.split(path)
    # A descriptor as the last name stands for what it leads to.
    return os.path.realpath(path) if "/fd" == folder[-3:] else os.path.join(os.path.realpath(folder), name)

def looked(pid, number, args):
    """What a call is about, if it is about the folder: its name, the path, and whether it changes content."""
    name = NAMES[number]
    if number in OF_ALL:
        return [name, "", ""]
    if number in BY_FD:
        path = os.readlink(f"/proc/{pid}/fd/{args[0]}")
    elif number in LINKS:
        path = full(pid, text_at(pid, args[1 if number == 88 else 2]), -1)
    elif number in BY_PATH:
        if name == "open" and not args[1] & CREATES:
            return None
        path = full(pid, text_at(pid, args[0]), -1)
    else:
        if name == "openat" and not args[2] & CREATES:
            return None
        fd = ctypes.c_int(args[0]).value
        path = full(pid, text_at(pid, args[1]), fd) if args[1] else os.readlink(f"/proc/{pid}/fd/{fd}")
    if not path.startswith(want["folder"] + "/"):
        return None
    return [name, path[len(want["folder"]) + 1:].replace(" (deleted)", ""), path]

calls, unsynced, alive, is_killed = [], set(want["unsynced"]), {main}, False
late = []

def before(pid, number, args):
    global is_killed
    try:
        call = looked(pid, number, args)
    except OSError:
        return False
    if call is None:
        return False
    name, shown, path = call
    calls.append(f"{name} {shown}".strip())
    if len(calls) == want["at"]:
        is_killed = True
        return True
    if name in ("syncfs", "sync"):
        unsynced.clear()
    elif name in ("fsync", "fdatasync"):
        if not want["ignored"] or want["ignored"] not in shown:
            unsynced.discard(os.stat(f"/proc/{pid}/fd/{args[0]}").st_ino)
    elif number in BY_FD and name != "fchmod":
        unsynced.add(os.stat(f"/proc/{pid}/fd/{args[0]}").st_ino)
    return False

def is_refused():
    at, name = len(calls), calls[-1].split()[0]
    return want["full"] and (at == want["full"] and name.startswith("rename") or at >= want["full"] and name in TAKING)

os.waitpid(main, 0)
libc.ptrace(OPTIONS, main, None, ctypes.c_void_p(EXITKILL | FORKS))
libc.ptrace(CONT, main, None, None)
code = None
while alive:
    try:
        pid, status = os.waitpid(-1, 0x40000000)
    except ChildProcessError:
        break
    if os.WIFEXITED(status) or os.WIFSIGNALED(status):
        alive.discard(pid)
        if pid == main:
            code = os.waitstatus_to_exitcode(status)
        continue
    alive.add(pid)
    event, sign = status >> 16, os.WSTOPSIG(status)
    if event == SECCOMP and not is_killed:
        registers = (ctypes.c_ulong * 27)()
        libc.ptrace(REGS, pid, None, ctypes.byref(registers))
        args = [registers[14], registers[13], registers[12], registers[7]]
        seen = len(calls)
        is_over = before(pid, registers[15], args)
        if len(calls) > seen and is_refused():
            registers[15], registers[10] = 2**64 - 1, 2**64 - 28
            libc.ptrace(SET_REGS, pid, None, ctypes.byref(registers))
        if is_over:
            if not want["alone"]:
                for one in list(alive):
                    try: os.kill(one, signal.SIGKILL)
                    except ProcessLookupError: pass
                continue
            os.kill(main, signal.SIGKILL)
            if pid != main:
                print(json.dumps("killed"), flush=True)
                time.sleep(want["alone"])
    sent = 0 if event or sign in (signal.SIGTRAP, signal.SIGSTOP) else sign
    libc.ptrace(CONT, pid, None, ctypes.c_void_p(sent))
print(json.dumps({"calls": calls, "unsynced": sorted(unsynced), "code": code}))
