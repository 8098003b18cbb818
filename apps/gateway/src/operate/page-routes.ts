import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { rejection } from "../errors/catalogue.ts";
import { reject } from "../errors/reject.ts";
import { sendPageFile } from "../http/send-files.ts";

// Bars have their width by script, which needs no 'unsafe-inline'.
const policy = "style-src 'self'; img-src 'self' data: blob:; font-src 'self'";

/** GET / and GET /assets/{file}: the page, which needs no key. `folder`: where it is built; listed once, here. Without
 * the built page both are 404 with the command that builds it. */
export function addPageRoutes(app: FastifyInstance, folder: string): void {
  const assets = join(folder, "assets");
  const names = existsSync(join(folder, "index.html")) ? new Set(readdirSync(assets)) : undefined;
  const config = { access: "open", documented: "page" } as const;
  app.get("/", { config }, (_request, reply) => {
    if (names === undefined) return reject(reply, rejection("PAGE_NOT_BUILT"));
    return sendPageFile(reply, { folder, name: "index.html", policy });
  });
  app.get<{ Params: { file: string } }>("/assets/:file", { config }, ({ method, url, params: { file } }, reply) => {
    if (names === undefined) return reject(reply, rejection("PAGE_NOT_BUILT"));
    if (!names.has(file)) return reject(reply, rejection("PATH_NOT_FOUND", { method, path: url.slice(0, 200) }));
    // Their names contain a hash of their content.
    const cacheControl = "public, max-age=31536000, immutable";
    return sendPageFile(reply, { folder: assets, name: file, policy, cacheControl });
  });
}
