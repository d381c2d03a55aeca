export const PRIVATE: Readonly<Record<string, string>> = {
  loopback: "is this machine itself",
  private: "is in a private network",
  uniqueLocal: "is in a private network",
  carrierGradeNat: "is in a provider's own network",
};

export const SPECIAL: Readonly<Record<string, string>> = {
  unspecified: "is no address of any machine",
  broadcast: "is every machine of a network",
  multicast: "is a group of machines",
  linkLocal: "is valid on the local link alone, where clouds answer with credentials",
  ipv4Mapped: "hides an address of another kind",
  rfc6145: "hides an address of another kind",
  rfc6052: "hides an address of another kind",
  "6to4": "hides an address of another kind",
  teredo: "hides an address of another kind",
};
