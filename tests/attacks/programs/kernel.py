"""Asks the kernel for what no build or test needs. Makes the file PWNED where it is given. x86-64."""
import ctypes, mmap, os, socket, struct, sys, time

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
SECRET = b"CANARY"


def granted(value):
    if value is None or value < 0:
        print("refused", ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return
    open("PWNED", "w").close()


def key(ring=-3):
    """Whether a key of the user's session can be read."""
    ids = ctypes.create_string_buffer(4096)
    size = libc.syscall(250, 11, ring, ids, 4096)
    found = struct.unpack("%di" % (max(size, 0) // 4), ids.raw[: max(size, 0) // 4 * 4])
    return next((one for one in map(read_key, found) if one == 0), -1)


def read_key(number):
    text = ctypes.create_string_buffer(4096)
    size = libc.syscall(250, 11, number, text, 4096)
    return 0 if size > 0 and SECRET in text.raw[:size] else -1


def traced_child():
    child = os.fork()
    if child == 0:
        os._exit(0 if libc.ptrace(0, 0, 0, 0) == 0 else 1)
    return -os.waitpid(child, 0)[1]


def other_memory(number):
    child, far = os.fork(), ctypes.create_string_buffer(b"far", 8)
    if child == 0:
        time.sleep(2)
        os._exit(0)
    near = ctypes.create_string_buffer(8)
    here = (ctypes.c_void_p * 2)(ctypes.addressof(near), 4)
    there = (ctypes.c_void_p * 2)(ctypes.addressof(far), 4)
    result = libc.syscall(number, child, here, 1, there, 1, 0)
    os.kill(child, 9)
    return result


def compatible():
    """A system call by the 32-bit entry, which a filter of 64-bit numbers does not see. It asks for its own number."""
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\x53\xb8\x14\x00\x00\x00\xcd\x80\x5b\xc3")
    child = os.fork()
    if child == 0:
        function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
        os._exit(0 if function() == os.getpid() else 1)
    return -os.waitpid(child, 0)[1]


def opened(family):
    try:
        return socket.socket(family, socket.SOCK_STREAM).fileno()
    except OSError as error:
        ctypes.set_errno(error.errno or 0)
        return -1


WAYS = {
    "key-session": lambda: key(-3),
    "key-search": lambda: read_key(libc.syscall(250, 10, -3, b"user", b"corpus:token", 0)),
    "key-request": lambda: read_key(libc.syscall(249, b"user", b"corpus:token", None, 0)),
    "key-add": lambda: libc.syscall(248, b"user", b"corpus:left", b"x", 1, -3),
    "key-join": lambda: libc.syscall(250, 1, None),
    "trace-child": traced_child,
    "vm-read": lambda: other_memory(310),
    "vm-write": lambda: other_memory(311),
    "userfaultfd": lambda: libc.syscall(323, 1),
    "io-uring": lambda: libc.syscall(425, 8, ctypes.create_string_buffer(256)),
    "perf": lambda: libc.syscall(298, ctypes.create_string_buffer(struct.pack("<IIQQQQQ", 1, 112, 0, 0, 0, 0, 0x61), 112), 0, -1, -1, 0),
    "vsock": lambda: opened(40),
    "user-namespace": lambda: libc.syscall(272, 0x10000000),
    "compatible": compatible,
}

granted(WAYS[sys.argv[1]]())
