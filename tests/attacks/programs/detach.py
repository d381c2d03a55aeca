"""Leaves a process behind in one of several ways."""
import ctypes, os, signal, subprocess, sys, time

libc = ctypes.CDLL(None, use_errno=True)


def sleeper():
    time.sleep(60)
    os._exit(0)


def quiet():
    nothing = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def double_fork():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 64)
            sleeper()
        os._exit(0)


def immortal():
    if os.fork() == 0:
        os.setsid()
        quiet()
        libc.prctl(1, 0, 0, 0, 0)
        libc.prctl(36, 1, 0, 0, 0)
        for number in range(1, 32):
            if number not in (9, 17, 19):
                signal.signal(number, signal.SIG_IGN)
        sleeper()


def stopped():
    child = os.fork()
    if child == 0:
        os.setsid()
        quiet()
        if os.fork() == 0:
            sleeper()
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
    time.sleep(0.05)


def spawned():
    subprocess.Popen(["sleep", "60"], stdin=-3, stdout=-3, stderr=-3, start_new_session=True, env={})


def many():
    for _ in range(12):
        if os.fork() == 0:
            os.setsid()
            quiet()
            sleeper()


def vforked():
    argv = (ctypes.c_char_p * 3)(b"sleep", b"60", None)
    libc.posix_spawn(ctypes.byref(ctypes.c_int()), b"/bin/sleep", None, None, argv, None)


def namespaced():
    for flags in (0x10000000 | 0x20000000, 0x20000000):
        if libc.unshare(flags) == 0:
            break
    if os.fork() == 0:
        os.setsid()
        quiet()
        sleeper()


globals()[sys.argv[1]]()
