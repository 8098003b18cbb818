import { readFileSync } from "node:fs";
import type { SslOptions } from "mysql2";

export interface TlsOfUrl {
  /** The URL without what it says of TLS. */
  readonly uri: string;
  /** Absent: no TLS. */
  readonly ssl?: SslOptions;
}

/**
 * TLS as a MySQL URL asks for it: `?ssl-mode=VERIFY_IDENTITY`, with `&ssl-ca=/path/of/ca.pem` for an authority that Node does not know. There
 * is no TLS that does not verify: someone in between could read it. Throws a TypeError for anything else.
 */
export function tlsOf(url: string): TlsOfUrl {
  const parsed = URL.parse(url);
  if (parsed === null) throw new TypeError("a database's URL is none (not shown: it may hold a password)");
  const mode = parsed.searchParams.get("ssl-mode");
  const authority = parsed.searchParams.get("ssl-ca");
  parsed.searchParams.delete("ssl-mode");
  parsed.searchParams.delete("ssl-ca");
  if (parsed.searchParams.has("ssl"))
    throw new TypeError("a database's URL: write ssl-mode and ssl-ca in place of ssl");
  if (mode === null && authority !== null)
    throw new TypeError("a database's URL: ssl-ca needs ssl-mode=VERIFY_IDENTITY");
  if (mode === null || mode === "DISABLED") return { uri: parsed.href };
  if (mode !== "VERIFY_IDENTITY") {
    throw new TypeError(
      `a database's URL: ssl-mode: expected VERIFY_IDENTITY or DISABLED, got ${JSON.stringify(mode)}`,
    );
  }
  // The driver compares certificates with names only.
  if (/^(\[.*\]|[\d.]+)$/.test(parsed.hostname)) {
    throw new TypeError("a database's URL: ssl-mode=VERIFY_IDENTITY needs the server's name, not its address");
  }
  return {
    uri: parsed.href,
    ssl: {
      rejectUnauthorized: true,
      verifyIdentity: true,
      minVersion: "TLSv1.2",
      ...(authority === null ? {} : { ca: readFileSync(authority) }),
    },
  };
}
