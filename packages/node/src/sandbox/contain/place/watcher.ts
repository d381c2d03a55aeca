/** The addresses of the place itself, which lead nowhere. */
export const OWN_ADDRESSES: readonly string[] = ["198.19.255.254", "fd00:7001::1"];

/**
 * What Node cannot do: it holds the namespaces, makes the network, sees packets (AF_PACKET) and who looks at decoys
 * (inotify), and sends answers. It ends when its input does. It says first what network it could make.
 *
 * Everything that is not loopback leaves through one end of a pair of devices, and is read at the other: nothing
 * answers there but this program. Where there is no such device all addresses are local, and the kernel refuses them.
 * Names that may be reached have addresses in 198.19.0.0/16 and fd00:7001:1::/64, which are local in both cases.
 */
export const WATCHER = `
use strict;
my ($ip, $init, $add, $probe, $outer) = @ARGV;
$| = 1;
sub ip { system("$ip @_ >/dev/null 2>&1") == 0 }
sub set { open(my $f, ">", "/proc/sys/net/$_[0]") or return; syswrite($f, $_[1]) }

ip("link set lo up") or die "there is no loopback\\n";
my $pair = ip("link add out0 type veth peer name wire0") && ip("link set out0 address 02:00:00:00:00:01 arp off")
  && ip("link set wire0 arp off");
my $device = $pair ? "out0" : "lo";
set("ipv6/conf/wire0/disable_ipv6", 1);
ip("addr add 198.19.255.254/32 dev $device");
my $six = ip("-6 addr add fd00:7001::1/128 dev $device nodad");
ip("link set wire0 up"), ip("link set out0 up") if $pair;
my $default = $pair ? "default dev out0" : "local default dev lo";
ip("route add $default src 198.19.255.254") or die "there is no route\\n";
ip("route add local 198.19.0.0/16 dev lo src 198.19.255.254") or die "there is no route for names\\n";
$six &&= ip("-6 route add $default") && ip("-6 route add local fd00:7001:1::/64 dev lo");

# Passes what begins a TCP connection, and UDP, to other addresses than loopback's.
my @filter = ([0x30,0,0,0], [0x54,0,0,0xf0], [0x15,0,9,0x40],
  [0x30,0,0,16], [0x15,17,0,127], [0x30,0,0,9], [0x15,14,0,17], [0x15,0,14,6],
  [0xb1,0,0,0], [0x50,0,0,13], [0x54,0,0,0x12], [0x15,9,10,2],
  [0x15,0,9,0x60], [0x20,0,0,24], [0x15,7,0,0], [0x30,0,0,6], [0x15,4,0,17], [0x15,0,4,6],
  [0x30,0,0,53], [0x54,0,0,0x12], [0x15,0,1,2], [0x06,0,0,0x40000], [0x06,0,0,0]);
my $program = join "", map { pack("SCCL", @$_) } @filter;
socket(my $packets, 17, 2, unpack("S", pack("n", 3))) or die "packets cannot be seen: $!\\n";
setsockopt($packets, 1, 26, pack("Sx6P", scalar @filter, $program)) or die "packets cannot be chosen: $!\\n";
my $wire = -1;
if ($pair) {
  my $name = pack("a16x24", "wire0");
  ioctl($packets, 0x8933, $name) or die "there is no device: $!\\n";
  $wire = unpack("x16i", $name);
}

# Older kernels report a path that is looked up as if the file were opened: there only reading counts.
my $watches = syscall($init, 02004000);
$watches >= 0 or die "files cannot be watched: $!\\n";
open(my $events, "<&=", $watches) or die;
my $mask = 0x21;
syscall($add, $watches, $probe, 0x20);
sysopen(my $looked, $probe, 010000000);
$mask = 1 if sysread($events, my $seen, 4096);
open(my $user, "+<&=", $outer) or die "there is no socket of the user's network: $!\\n";
socket(my $own, 16, 3, 4) or die "sockets cannot be listed: $!\\n";
listening($_) // die "sockets cannot be listed\\n" for $user, $own;
print $pair ? "pair" : "loopback", $six ? " 6" : "", "\\n";

my ($in, $left, $second, %told) = ("", 0, 0);
sub packets {
  # As many in a second as can be answered; what is sent again is seen then.
  for (1 .. 1000) {
    defined(my $from = recv($packets, my $bytes, 2048, 0x40)) or last;
    my ($index, $kind) = unpack("x4ix2C", $from);
    next if $kind == 4;
    ($second, $left) = (time, 200) if $second != time;
    next if $left-- <= 0;
    print $index == $wire ? "w " : "l ", unpack("H*", substr($bytes, 0, 128)), "\\n";
  }
}
sub events {
  while (sysread($events, my $bytes, 65536)) {
    while (length $bytes) {
      my ($watch, $what, $cookie, $length) = unpack("iLLL", $bytes);
      substr($bytes, 0, 16 + $length) = "";
      # What has a name is in the folder, and is watched itself.
      print "i $watch\\n" if $length == 0 and $what & $mask and not $told{$watch}++;
    }
  }
}
# What listens, as the kernel tells it: its tables in /proc take a hundred times as long.
sub listening {
  my ($from, @found) = @_;
  for my $family (2, 10) {
    send($from, pack("LSSLLCCSLx48", 72, 20, 0x301, 1, 0, $family, 6, 0, 1 << 10), 0) or return;
    for (my $type = 0; $type != 3; ) {
      defined recv($from, my $bytes, 65536, 0) or return;
      while (length $bytes) {
        (my $length, $type) = unpack("LS", $bytes);
        return if $type == 2 or $length < 16;
        push @found, join(":", unpack("x16Cx3nx2H32", $bytes)) if $type == 20;
        substr($bytes, 0, ($length + 3) & ~3) = "";
      }
    }
  }
  return join(",", @found);
}
my $all = "";
vec($all, $_, 1) = 1 for 0, fileno($packets), $watches;
while (1) {
  next if select(my $ready = $all, undef, undef, undef) < 0;
  packets();
  events();
  next unless vec($ready, 0, 1);
  sysread(STDIN, $in, 65536, length $in) or exit;
  while ($in =~ s/^(\\w) ([^\\n]*)\\n//) {
    my ($do, $what) = ($1, $2);
    if ($do eq "w") {
      my $bytes = pack("H*", $what);
      my $protocol = ord($bytes) >> 4 == 4 ? 0x800 : 0x86dd;
      send($packets, $bytes, 0, pack("SniSCCH16", 17, $protocol, $wire, 0, 0, 6, "0200000000010000"));
    } elsif ($do eq "a") {
      my $watch = syscall($add, $watches, $what, $mask);
      delete $told{$watch};
      print "a $watch\\n";
    } elsif ($do eq "p") {
      print "p ", listening($user) // "", " ", listening($own) // "", "\\n";
    } else {
      # Everything that happened before is told before.
      packets();
      events();
      print "s $what\\n";
    }
  }
}
`;
