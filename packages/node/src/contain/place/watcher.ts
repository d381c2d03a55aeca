/**
 * Numbers of the calls that the watcher makes, from the kernel's own tables: `inotify_init1`, `inotify_add_watch`.
 * @throws Error on a processor whose numbers we do not know.
 */
export function callNumbers(): readonly [number, number] {
  const numbers = ({ x64: [294, 254], arm64: [26, 27] } as const)[process.arch as string];
  if (numbers === undefined) throw new Error(`the system calls of ${process.arch} are not known`);
  return numbers;
}

/**
 * The process that Node cannot be: it holds the namespaces, makes the network and ends when its input does. It says
 * first what network it could make.
 */
export const WATCHER = `
use strict;
my ($ip, $init, $add) = @ARGV;
$| = 1;
system($ip, "link", "set", "lo", "up") == 0 or die "no loopback\\n";
print "loopback\\n";
while (sysread(STDIN, my $in, 65536)) {}
`;
