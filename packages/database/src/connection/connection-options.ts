import { readFileSync } from "node:fs";
import type { ConnectionOptions, SslOptions } from "mysql2";
import { DatabaseError } from "./database-error.ts";

const sqlMode =
  "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";

/** The options of every connection. mysql2 adds those in the URL. */
export function connectionOptions(url: string, connectTimeoutMs: number): ConnectionOptions {
  return {
    ...tlsOf(url),
    charset: "utf8mb4",
    timezone: "Z",
    dateStrings: ["DATE"],
    supportBigNumbers: true,
    // Without FOUND_ROWS an upsert does not count unchanged rows. Without LOCAL_FILES a server cannot request our
    // files.
    flags: ["-FOUND_ROWS", "-LOCAL_FILES"],
    connectTimeout: Math.min(connectTimeoutMs, 10_000),
    enableKeepAlive: true,
    keepAliveInitialDelay: 10_000,
  };
}

/** Makes both servers and all their configurations behave alike, and ends lock waits before the client's timeout. */
export function sessionSql(queryTimeoutMs: number, endpoint: "write" | "read"): readonly string[] {
  const lockWaitSeconds = Math.max(1, Math.floor(queryTimeoutMs / 2000));
  return [
    `SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ${endpoint === "write" ? "WRITE" : "ONLY"}`,
    // The mode fixes the meaning of our escaping (no NO_BACKSLASH_ESCAPES, no ANSI_QUOTES) and rejects bad data instead
    // of changing it.
    `SET SESSION sql_mode = '${sqlMode}', time_zone = '+00:00', innodb_lock_wait_timeout = ${lockWaitSeconds}`,
  ];
}

/**
 * The TLS options in a MySQL URL: `?ssl-mode=VERIFY_IDENTITY`, with `&ssl-ca=/path/of/ca.pem` for an authority that
 * Node does not know. TLS always verifies the certificate. Otherwise a man in the middle could read the connection.
 * Throws DATABASE_URL for anything else.
 */
export function tlsOf(url: string): { readonly uri: string; readonly ssl?: SslOptions } {
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
