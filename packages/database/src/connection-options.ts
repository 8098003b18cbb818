import type { ConnectionOptions } from "mysql2";
import { tlsOf } from "./tls-of.ts";

/** How every connection of ours is made. What else the URL says is added by mysql2. */
export function connectionOptions(url: string, connectTimeoutMs: number): ConnectionOptions {
  return {
    ...tlsOf(url),
    charset: "utf8mb4",
    timezone: "Z",
    dateStrings: ["DATE"],
    supportBigNumbers: true,
    // Without found rows an upsert tells unchanged rows; without local files a server can't ask for ours.
    flags: ["-FOUND_ROWS", "-LOCAL_FILES"],
    connectTimeout: Math.min(connectTimeoutMs, 10_000),
    enableKeepAlive: true,
    keepAliveInitialDelay: 10_000,
  };
}

/** Makes both servers and every configuration of them behave alike, and no lock wait outlast the client's patience. */
export function sessionSql(queryTimeoutMs: number, access: "READ WRITE" | "READ ONLY"): readonly string[] {
  const lockWaitSeconds = Math.max(1, Math.floor(queryTimeoutMs / 2000));
  return [
    `SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, ${access}`,
    // The mode decides what our escaping means (no NO_BACKSLASH_ESCAPES, no ANSI_QUOTES) and that bad data is refused, not bent.
    `SET SESSION sql_mode = '${sqlMode}', time_zone = '+00:00', innodb_lock_wait_timeout = ${lockWaitSeconds}`,
  ];
}

const sqlMode =
  "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";
