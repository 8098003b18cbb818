import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Makes an authority, and a certificate for a server of this name only, in a directory that others may read then. Returns the files. */
export function makeCertificates(directory: string, serverName: string) {
  const file = (name: string): string => join(directory, name);
  const openssl = (...args: readonly string[]): void => {
    execFileSync("openssl", args, { cwd: directory, stdio: "pipe" });
  };
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...newKey, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=tally test CA");
  openssl("req", ...newKey, "-keyout", "server.key", "-out", "server.csr", "-subj", `/CN=${serverName}`);
  // Nodes of a Redis Cluster show each other theirs.
  writeFileSync(file("extensions"), `subjectAltName=DNS:${serverName}\nextendedKeyUsage=serverAuth,clientAuth\n`);
  const signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "extensions"];
  openssl("x509", "-req", "-in", "server.csr", "-out", "server.pem", ...signed);
  // The servers may run as other users.
  chmodSync(directory, 0o755);
  chmodSync(file("server.key"), 0o644);
  return { authority: file("ca.pem"), certificate: file("server.pem"), key: file("server.key") };
}
