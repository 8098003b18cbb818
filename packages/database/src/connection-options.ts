import type { ConnectionOptions } from "mysql2";
import { tlsOf } from "./tls-of.ts";

/** The options of every connection. mysql2 adds those in the URL. */
export function connectionOptions(url: string, connectTimeoutMs: number): ConnectionOptions {
  return {
    ...tlsOf(url),
    charset: "utf8mb4",
    timezone: "Z",
    dateStrings: ["DATE"],
    supportBigNumbers: true,
    // Without FOUND_ROWS an upsert does not count unchanged rows. Without LOCAL_FILES a server cannot request our files.
    flags: ["-FOUND_ROWS", "-LOCAL_FILES"],
    connectTimeout: Math.min(connectTimeoutMs, 10_000),
    enableKeepAlive: true,
    keepAliveInitialDelay: 10_000,
  };
}

/** Makes both servers and all their configurations behave alike, and ends lock waits before the client's timeout. */
export function sessionSql(queryTimeoutMs: number, access: "READ WRITE" | "READ ONLY"): readonly string[] {
  const lockWaitSeconds = Math.max(1, Math.floor(queryTimeoutMs / 2000));
  return [
    `SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, ${access}`,
    // The mode fixes the meaning of our escaping (no NO_BACKSLASH_ESCAPES, no ANSI_QUOTES) and rejects bad data instead of changing it.
    `SET SESSION sql_mode = '${sqlMode}', time_zone = '+00:00', innodb_lock_wait_timeout = ${lockWaitSeconds}`,
  ];
}

const sqlMode =
  "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";
