import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Files of a private authority and of a server whose certificate it signed. */
export interface Certificates {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/** Makes an authority, and a certificate for a server of this name only. */
export function makeCertificates(directory: string, serverName: string): Certificates {
  mkdirSync(directory, { recursive: true });
  const file = (name: string): string => join(directory, name);
  const openssl = (...args: readonly string[]): void => {
    execFileSync("openssl", args, { cwd: directory, stdio: "pipe" });
  };
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...newKey, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=tally test CA");
  openssl("req", ...newKey, "-keyout", "server.key", "-out", "server.csr", "-subj", `/CN=${serverName}`);
  writeFileSync(file("extensions"), `subjectAltName=DNS:${serverName}\nextendedKeyUsage=serverAuth\n`);
  const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "extensions"];
  openssl("x509", "-req", "-in", "server.csr", "-out", "server.pem", ...signed);
  // The servers may run as other users.
  chmodSync(file("server.key"), 0o644);
  return { authority: file("ca.pem"), certificate: file("server.pem"), key: file("server.key") };
}
