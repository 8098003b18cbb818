import { isIP } from "node:net";
import type { Setting } from "@tally/service";

/** Whose X-Forwarded-For is believed. `hop` 0 is the client of the connection. */
export type TrustedProxies = false | string | ((address: string, hop: number) => boolean);

const names: ReadonlySet<string> = new Set(["loopback", "linklocal", "uniquelocal"]);
const hopsPattern = /^\d{1,2}$/;

/** A setting: the number of proxies in front, or their addresses and networks between commas. It stays the text that was given. */
export function trustProxy(variable: string, o: { readonly default: string; readonly says: string }): Setting<string> {
  return {
    variable,
    default: o.default,
    says: o.says,
    expected: "a number of proxies, or addresses and networks between commas",
    read: (text) =>
      hopsPattern.test(text) || text.split(",").every((entry) => isNetwork(entry.trim()))
        ? { ok: true, value: text }
        : { ok: false, got: JSON.stringify(text.slice(0, 60)) },
  };
}

/** The setting as Fastify's option trustProxy takes it. Empty: no proxy is believed. */
export function trustedProxies(text: string): TrustedProxies {
  if (text === "") return false;
  return hopsPattern.test(text) ? (_address, hop) => hop < Number(text) : text;
}

function isNetwork(entry: string): boolean {
  if (names.has(entry)) return true;
  const [address = "", bits, ...more] = entry.split("/");
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= (version === 4 ? 32 : 128))
  );
}
