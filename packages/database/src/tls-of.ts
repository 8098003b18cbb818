import { readFileSync } from "node:fs";
import type { SslOptions } from "mysql2";
import { DatabaseError } from "./database-error.ts";

export interface TlsOfUrl {
  /** The URL without its TLS parameters. */
  readonly uri: string;
  /** Absent: no TLS. */
  readonly ssl?: SslOptions;
}

/**
 * The TLS options in a MySQL URL: `?ssl-mode=VERIFY_IDENTITY`, with `&ssl-ca=/path/of/ca.pem` for an authority that Node does not know. TLS
 * always verifies: without that, a man in the middle could read it. Throws DATABASE_URL for anything else.
 */
export function tlsOf(url: string): TlsOfUrl {
  const parsed = URL.parse(url);
  if (parsed === null) throw urlError("not a URL (not shown: it may contain a password)");
  const mode = parsed.searchParams.get("ssl-mode");
  const authority = parsed.searchParams.get("ssl-ca");
  parsed.searchParams.delete("ssl-mode");
  parsed.searchParams.delete("ssl-ca");
  if (parsed.searchParams.has("ssl")) throw urlError("write ssl-mode and ssl-ca instead of ssl");
  if (mode === null && authority !== null) throw urlError("ssl-ca needs ssl-mode=VERIFY_IDENTITY");
  if (mode === null || mode === "DISABLED") return { uri: parsed.href };
  if (mode !== "VERIFY_IDENTITY") {
    throw urlError(`ssl-mode: expected VERIFY_IDENTITY or DISABLED, got ${JSON.stringify(mode)}`);
  }
  // The driver compares certificates with names only.
  if (/^(\[.*\]|[\d.]+)$/.test(parsed.hostname)) {
    throw urlError("ssl-mode=VERIFY_IDENTITY needs the server's name, not its address");
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

function urlError(detail: string): DatabaseError {
  return new DatabaseError("DATABASE_URL", detail);
}
