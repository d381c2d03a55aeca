# Each probe reaches for something outside, and returns REACHED if it got it. The names of what was set up are in `given`.
import ctypes, glob, os, resource, signal, socket, subprocess, sys, time

REACHED = "reached"
libc = ctypes.CDLL(None, use_errno=True)

def text(path):
    with open(path) as file:
        return REACHED if given["secret"] in file.read() else "another file"

def connect(family, kind, address):
    with socket.socket(family, kind) as one:
        one.settimeout(2)
        one.connect(address)
        one.sendall(b"probe")
    return REACHED

def write(path):
    with open(path, "w") as file:
        file.write("probe")
    return "seen by what is there"

def in_child(act):
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if act() == REACHED else 1)
        finally:
            os._exit(1)
    return REACHED if os.waitpid(pid, 0)[1] == 0 else "not reached"

def link():
    os.symlink(given["project_file"], "/tmp/probe-link-%d" % os.getpid())
    return text("/tmp/probe-link-%d" % os.getpid())

def own_memory():
    source, target = ctypes.create_string_buffer(b"12345678"), ctypes.create_string_buffer(8)
    class Part(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    parts = [Part(ctypes.cast(one, ctypes.c_void_p), 8) for one in (target, source)]
    read = libc.process_vm_readv(os.getpid(), ctypes.byref(parts[0]), 1, ctypes.byref(parts[1]), 1, 0)
    return REACHED if read == 8 else "refused"

def trusted_module():
    import probe_module
    return REACHED if probe_module.SECRET == given["secret"] else "another module"

def by_syscall():
    file = libc.open(given["project_file"].encode(), os.O_RDONLY)
    buffer = ctypes.create_string_buffer(1000)
    libc.read(file, buffer, 999)
    return REACHED if given["secret"].encode() in buffer.value else "refused"

def environments():
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path) as file:
                if given["secret"] in file.read():
                    return REACHED
        except OSError:
            pass
    return "nothing found"

def open_files():
    for path in glob.glob("/proc/%d/fd/*" % given["victim"]):
        if text(path) == REACHED:
            return REACHED
    return "nothing found"

def listening():
    with open("/proc/net/tcp") as file:
        return REACHED if ":%04X " % given["port"] in file.read() else "not listed"

def lift_limits():
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return REACHED

def kill(pid):
    os.kill(pid, signal.SIGUSR1)
    return REACHED

PROBES = {
    "a file of the project": lambda: text(given["project_file"]),
    "a file of the user": lambda: text(given["user_file"]),
    "the names in the project": lambda: REACHED if "secret.txt" in os.listdir(given["project"]) else "others",
    "the project through /proc/self/root": lambda: text("/proc/self/root" + given["project_file"]),
    "the project from the folder it runs in": lambda: text("/proc/self/cwd/" + "../" * 9 + given["project_file"]),
    "the project through a link": link,
    "the project through a process of the user": lambda: text("/proc/%d/root%s" % (given["victim"], given["project_file"])),
    "a file that a process of the user has open": open_files,
    "a file, by a system call": by_syscall,
    "a file, in a child": lambda: in_child(lambda: text(given["project_file"])),
    "a file, by another program": lambda: REACHED if given["secret"] in subprocess.run(["/bin/cat", given["project_file"]], capture_output=True, text=True).stdout else "refused",
    "a module of the project": trusted_module,
    "an environment variable": lambda: REACHED if given["secret"] in str(dict(os.environ)) else "not set",
    "the environment of all processes": environments,
    "temporary files of the user": lambda: REACHED if given["temporary_name"] in os.listdir("/tmp") else "others",
    "shared memory of the user": lambda: text(given["shared"]),
    "a server on loopback": lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", given["port"])),
    "a server on loopback, in a child": lambda: in_child(lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", given["port"]))),
    "a server at a path": lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, given["socket"]),
    "a server with an abstract name": lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + given["abstract"]),
    "the list of servers": listening,
    "the name of the machine": lambda: REACHED if socket.gethostname() == given["host"] else "another name",
    "devices and drivers": lambda: REACHED if os.listdir("/sys/class") else "nothing",
    "writing to the project": lambda: write(given["project"] + "/written"),
    "writing to temporary files of the user": lambda: write(given["temporary"] + "/written"),
    "a signal to a process of the user": lambda: kill(given["victim"]),
    "tracing": lambda: in_child(lambda: REACHED if libc.ptrace(0, 0, 0, 0) == 0 else "refused"),
    "memory by process id": own_memory,
    "namespaces of its own": lambda: in_child(lambda: REACHED if libc.unshare(0x10000000) == 0 else "refused"),
    "limits": lambda: in_child(lift_limits),
}

def outcome(probe):
    try:
        return probe()
    except BaseException as error:
        return "%s: %s" % (type(error).__name__, error)

results = {name: outcome(probe) for name, probe in PROBES.items()}
