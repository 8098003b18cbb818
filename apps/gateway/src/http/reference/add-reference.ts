import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, RouteOptions } from "fastify";
import { sendPageFile } from "../send-files.ts";
import { apiDocument } from "./api-document.ts";
import type { OwnDocument, ServedRoute } from "./documented.ts";

const documented: OwnDocument = {
  path: "/openapi.json",
  summary: "this API reference, as OpenAPI 3.1",
  description: "`/docs` shows it as a page. Both need no key, because they contain no data",
};

const ownFolder = fileURLToPath(new URL("page", import.meta.url));
const libraryFolder = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/package.json")));
const pageFiles = [
  ["/docs", ownFolder, "index.html"],
  ["/docs/start.js", ownFolder, "start.js"],
  ["/docs/swagger-ui-bundle.js", libraryFolder, "swagger-ui-bundle.js"],
  ["/docs/swagger-ui.css", libraryFolder, "swagger-ui.css"],
] as const;
// The library sets styles of elements, and has images in its style sheet.
const policy = "style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** Serves the API reference of all routes that are added later, without those below base paths: the document at
 * /openapi.json, made at its first request; a page at /docs. Call it before routes are added; it throws for a route
 * that is not documented. */
export function addReference(app: FastifyInstance): void {
  const routes: ServedRoute[] = [];
  app.addHook("onRoute", (route) => {
    const served = servedRoute(route);
    if (served !== undefined) routes.push(served);
  });
  let made: { readonly json: string; readonly etag: string } | undefined;
  app.get("/openapi.json", { config: { access: "open", documented } }, async (request, reply) => {
    made ??= withEtag(JSON.stringify(apiDocument(routes)));
    reply.headers({ etag: made.etag, "cache-control": "no-cache", "x-content-type-options": "nosniff" });
    if (request.headers["if-none-match"] === made.etag) return reply.code(304).send();
    return reply.type("application/json; charset=utf-8").send(made.json);
  });
  for (const [path, folder, name] of pageFiles) {
    const config = { access: "open", documented: "page" } as const;
    app.get(path, { config }, (_request, reply) => sendPageFile(reply, { folder, name, policy }));
  }
}

function withEtag(json: string) {
  return { json, etag: `W/"${createHash("sha256").update(json).digest("base64url").slice(0, 22)}"` };
}

function servedRoute({ method, url, config, schema = {} }: RouteOptions): ServedRoute | undefined {
  const { access, documented: own } = config ?? {};
  if (access === undefined || own === undefined)
    throw new TypeError(`${String(method)} ${url}: expected config.access and config.documented`);
  // Fastify adds a HEAD for each GET.
  const verb = (["GET", "POST", "PUT"] as const).find((one) => one === method);
  if (own === "page" || verb === undefined) return undefined;
  const { domain, route } = "domain" in own ? own : { domain: undefined, route: own };
  // Below a base path it is the same.
  if (url !== route.path) return undefined;
  return { method: verb, url, access, domain, document: route, schema };
}
