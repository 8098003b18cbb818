import { readFileSync } from "node:fs";

interface DatabaseTls {
  readonly rejectUnauthorized: true;
  readonly verifyIdentity: true;
  readonly minVersion: "TLSv1.2";
  readonly ca?: Buffer;
}

/** The TLS options in a MySQL URL: `?ssl-mode=VERIFY_IDENTITY`, with `&ssl-ca=/path/of/ca.pem` for an authority that
 * Node does not know. Throws for TLS that does not verify: a man in the middle could read it. */
export function tlsOf(url: string): { readonly uri: string; readonly ssl?: DatabaseTls } {
  const parsed = URL.parse(url);
  if (parsed === null) throw new Error("not a URL (not shown: it may contain a password)");
  const mode = parsed.searchParams.get("ssl-mode");
  const authority = parsed.searchParams.get("ssl-ca");
  parsed.searchParams.delete("ssl-mode");
  parsed.searchParams.delete("ssl-ca");
  // The driver ignores names that it does not know.
  const misspelt = [...parsed.searchParams.keys()].find((name) => /^(use-?)?(ssl|tls)/i.test(name));
  if (misspelt !== undefined) throw new Error(`write ssl-mode and ssl-ca instead of ${misspelt}`);
  if (mode === null && authority !== null) throw new Error("ssl-ca needs ssl-mode=VERIFY_IDENTITY");
  if (mode === null || mode === "DISABLED") return { uri: parsed.href };
  if (mode !== "VERIFY_IDENTITY")
    throw new Error(`ssl-mode: expected VERIFY_IDENTITY or DISABLED, got ${JSON.stringify(mode)}`);
  // The driver compares certificates with names only.
  if (/^(\[.*\]|[\d.]+)$/.test(parsed.hostname))
    throw new Error("ssl-mode=VERIFY_IDENTITY needs the server's name, not its address");
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
