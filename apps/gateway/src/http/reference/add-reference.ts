import { readFile } from "node:fs/promises";
import type { FastifyInstance, RouteOptions } from "fastify";
import { addFile } from "../responses/add-file.ts";
import type { Mount } from "../routes/domain-routes.ts";
import type { OwnDocument, ServedRoute } from "./documented.ts";
import { isRecord } from "./documented-schema.ts";

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>tally: API reference</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <main id="reference">The reference needs JavaScript. <a href="/openapi.json">/openapi.json</a> has the same content.</main>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

// No validator, because the page must work without the internet.
const start = `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#reference", deepLinking: true, validatorUrl: null });
`;

// The library sets styles of elements, and has images in its style sheet.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const own: OwnDocument = {
  path: "/openapi.json",
  summary: "this API reference, as OpenAPI 3.1",
  description: "`/docs` shows it as a page. Both need no key, because they contain no data",
  examples: { "the document": {} },
};

/**
 * Serves the API reference of all routes that are added later: the document at /openapi.json, a page at /docs. Both are made or read at the
 * first request for them: a gateway that has no such request needs neither time nor memory for them. Call it before routes are added; it throws
 * for a route that is not documented.
 */
export function addReference(app: FastifyInstance, mounts: readonly Mount[]): void {
  const routes: ServedRoute[] = [];
  app.addHook("onRoute", (route) => {
    const served = servedRoute(route);
    if (served !== undefined) routes.push(served);
  });
  addFile(app, "/openapi.json", {
    documented: own,
    type: "application/json; charset=utf-8",
    async load() {
      const { apiDocument } = await import("./api-document.ts");
      return JSON.stringify(await apiDocument(routes, mounts));
    },
  });
  addPageFile(app, "/docs", "text/html", () => Promise.resolve(page));
  addPageFile(app, "/docs/start.js", "text/javascript", () => Promise.resolve(start));
  addPageFile(app, "/docs/swagger-ui-bundle.js", "text/javascript", () => fileOfLibrary("swagger-ui-bundle.js"));
  addPageFile(app, "/docs/swagger-ui.css", "text/css", () => fileOfLibrary("swagger-ui.css"));
}

function addPageFile(app: FastifyInstance, path: string, type: string, load: () => Promise<string>): void {
  const headers = { "content-security-policy": policy, "referrer-policy": "no-referrer" };
  addFile(app, path, { documented: "page", type: `${type}; charset=utf-8`, headers, load });
}

function fileOfLibrary(name: string): Promise<string> {
  return readFile(new URL(name, import.meta.resolve("swagger-ui-dist/package.json")), "utf8");
}

function servedRoute({ method, url, config, schema }: RouteOptions): ServedRoute | undefined {
  const { access, documented } = config ?? {};
  if (access === undefined || documented === undefined) {
    throw new TypeError(`${String(method)} ${url}: expected config.access and config.documented`);
  }
  // Fastify adds a HEAD for each GET.
  const verb = method === "GET" ? "GET" : method === "POST" ? "POST" : undefined;
  if (documented === "page" || verb === undefined) return undefined;
  const { params, querystring, response } = schema ?? {};
  const ok = isRecord(response) ? response["200"] : undefined;
  return { method: verb, url, access, documented, schema: { params, querystring, response: ok } };
}
