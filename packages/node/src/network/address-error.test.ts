import { networkInterfaces } from "node:os";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressError, isNameable, ownNetworkError } from "./address-error.ts";
import { hostRules } from "./host-rules.ts";

/** Each of them leads, or may lead, to a machine that is not a public one. */
const REFUSED = `
  127.0.0.1 127.0.0.53 127.255.255.254 0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255
  192.168.0.1 192.168.255.255 100.64.0.1 100.127.255.255 100.100.100.200 169.254.169.254 169.254.170.2
  169.254.0.1 168.63.129.16 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255
  198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
  :: ::1 ::7f00:1 ::127.0.0.1 ::a9fe:a9fe ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1
  ::ffff:169.254.169.254 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b::a9fe:a9fe
  64:ff9b:1::1 64:ff9b:1::808:808 2002:7f00:1:: 2002:a9fe:a9fe:: 2002:808:808:: 2001:0:7f00:1::
  2001::1 2001:db8::1 2001:2::1 2001:10::1 2001:20::1 3fff::1 100::1 5f00::1 fc00::1 fd00:ec2::254
  fd20:ce::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 4000::1 8000::1 e000::1 2606:4700::1111%eth0
`
  .trim()
  .split(/\s+/);

const PASSED = `
  1.1.1.1 8.8.8.8 93.184.216.34 9.255.255.255 11.0.0.1 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1
  168.63.129.15 168.63.129.17 169.253.255.255 172.15.255.255 172.32.0.1 192.167.255.255 198.17.255.255
  223.255.255.255 2606:4700:4700::1111 2a00:1450:4001:82a::200e 2001:4860:4860::8888 ::ffff:8.8.8.8
  64:ff9b::8.8.8.8
`
  .trim()
  .split(/\s+/);

describe("addresses", () => {
  test.each(REFUSED)("%s is refused, with a reason", (address) => {
    expect(addressError(address)).toMatch(/^(?:is|hides) /);
  });

  test.each(PASSED)("%s passes", (address) => {
    expect(addressError(address)).toBeUndefined();
  });

  test.each([
    "",
    "localhost",
    "127.1",
    "0177.0.0.1",
    "0x7f000001",
    "2130706433",
    "[::1]",
    "8.8.8.8 ",
    "8.8.8",
  ])("what is no plain address is refused: %j", (text) => {
    expect(addressError(text)).toBe("is no IP address");
  });

  test("an IPv4 address is treated the same within every form that contains it", () => {
    const forms = (address: string) => [`::ffff:${address}`, `64:ff9b::${address}`];
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const form of forms(address)) expect(addressError(form)).toBe(addressError(address));
      }),
    );
  });

  test("any address that passes is globally routable by another table than the parser's", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        if (addressError(address) !== undefined) return;
        const [a = 0, b = 0] = address.split(".").map(Number);
        expect([0, 10, 127].includes(a) || a >= 224).toBe(false);
        expect([a === 169 && b === 254, a === 172 && b >= 16 && b < 32, a === 192 && b === 168]).toEqual([
          false,
          false,
          false,
        ]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("naming a host opens everyday private addresses, not those where clouds keep credentials", () => {
    for (const address of ["127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "fd12::1", "100.64.0.1"])
      expect(isNameable(address)).toBe(true);
    for (const address of [
      "169.254.169.254",
      "168.63.129.16",
      "fd00:ec2::254",
      "100.100.100.200",
      "0.0.0.0",
      "x",
    ])
      expect(isNameable(address)).toBe(false);
  });
});

describe("this machine's own addresses", () => {
  test("are refused, whatever they are", () => {
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    expect(own.length).toBeGreaterThan(0);
    for (const { address } of own)
      expect(ownNetworkError(address, networkInterfaces())).toBe("is this machine itself");
  });

  test("are refused though they are public, and so are the neighbours in an IPv6 network", () => {
    const common = { netmask: "", mac: "", internal: false };
    const interfaces = {
      eth0: [
        { ...common, family: "IPv4" as const, address: "93.184.216.34", cidr: "93.184.216.34/24" },
        { ...common, family: "IPv6" as const, address: "2a00:1::5", cidr: "2a00:1::5/64", scopeid: 0 },
      ],
    };
    expect(ownNetworkError("93.184.216.34", interfaces)).toBe("is this machine itself");
    expect(ownNetworkError("::ffff:93.184.216.34", interfaces)).toBe("is this machine itself");
    expect(ownNetworkError("2a00:1::5", interfaces)).toBe("is this machine itself");
    expect(ownNetworkError("2a00:1::99", interfaces)).toBe("is in this machine's own network");
    expect(ownNetworkError("2a00:1:0:1::99", interfaces)).toBeUndefined();
    expect(ownNetworkError("93.184.216.35", interfaces)).toBeUndefined();
    const rules = hostRules({ privateHosts: ["named.test"], interfaces: () => interfaces });
    expect(() => rules.checkAddress("a.test", "93.184.216.34")).toThrow(/this machine itself/);
    expect(() => rules.checkAddress("a.test", "2a00:1::99")).toThrow(/own network/);
    rules.checkAddress("a.test", "93.184.216.35");
    rules.checkAddress("named.test", "93.184.216.34");
  });
});
