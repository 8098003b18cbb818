import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Whether an address is one of a list of addresses and networks (10.0.0.0/8). */
export function addressesIn(list: readonly string[]): (address: string) => boolean {
  const trusted = new BlockList();
  for (const entry of list) {
    const [network = "", prefix] = entry.split("/");
    const family = isIPv6(network) ? "ipv6" : "ipv4";
    if (prefix === undefined) trusted.addAddress(network, family);
    else trusted.addSubnet(network, Number(prefix), family);
  }
  return (address) => {
    const plain = withoutMapping(address);
    if (isIPv4(plain)) return trusted.check(plain, "ipv4");
    return isIPv6(plain) && trusted.check(plain, "ipv6");
  };
}

/** What counts as one client: an IPv4 address, or the /64 of an IPv6 address, in which a client can use any address. */
export function clientOf(address: string | undefined): string {
  if (address === undefined) return "";
  const plain = withoutMapping(address);
  if (isIPv4(plain) || !isIPv6(plain)) return plain;
  const [head = "", tail] = plain.split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail === undefined) return groups.slice(0, 4).join(":");
  const last = tail === "" ? [] : tail.split(":");
  const zeros = Array<string>(8 - groups.length - last.length).fill("0");
  return [...groups, ...zeros, ...last].slice(0, 4).join(":");
}

// A dual-stack socket reports IPv4 clients as ::ffff:a.b.c.d.
function withoutMapping(address: string): string {
  return address.startsWith("::ffff:") && isIPv4(address.slice(7)) ? address.slice(7) : address;
}
