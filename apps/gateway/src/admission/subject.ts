import { isIPv4, isIPv6 } from "node:net";

/**
 * What a rate limit counts a client's address as: an IPv4 address, or the first 64 bits of an IPv6 address, because a client usually has
 * all addresses of such a network.
 */
export function subjectOfAddress(address: string): string {
  const mapped = address.startsWith("::ffff:") ? address.slice(7) : address;
  if (isIPv4(mapped)) return mapped;
  const [plain = ""] = address.split("%", 1);
  if (!isIPv6(plain)) return address;
  const [head = "", tail] = plain.split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === "" ? 0 : tail.split(":").length);
  const all = [...groups, ...Array.from({ length: Math.max(0, missing) }, () => "0"), ...(tail?.split(":") ?? [])];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group || "0", 16).toString(16))
    .join(":")}::/64`;
}
