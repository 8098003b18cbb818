import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance } from "fastify";
import { rejection } from "../errors/catalogue.ts";
import { reject } from "../errors/reject.ts";

/**
 * Rejects requests that may change something when the browser of a user sends them for a page of another site. Needed only where no key is
 * required: a page cannot add a key to a request for another site, but it can send a form. In the call of the handler, before it: a hook would
 * cost each event closures, and nothing is changed until then. Call it before routes are added.
 */
export function rejectForeignPages(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    const { handler } = route;
    if (isReading([route.method].flat())) return;
    route.handler = function handleOwn(request, reply) {
      const { headers } = request;
      // The common case: no browser.
      if (headers["sec-fetch-site"] === undefined && headers.origin === undefined) {
        return handler.call(this, request, reply);
      }
      const page = foreignPageOf(headers);
      return page === undefined
        ? handler.call(this, request, reply)
        : reject(reply, rejection("FOREIGN_PAGE", { page }));
    };
  });
}

/**
 * The page of another site that sent a request; undefined: none did. By Sec-Fetch-Site, which pages cannot set. Browsers send it to https
 * and to localhost only; without it, by Origin, which they send with every POST.
 */
export function foreignPageOf({
  origin,
  host,
  "sec-fetch-site": site,
}: Pick<IncomingHttpHeaders, "origin" | "host" | "sec-fetch-site">): string | undefined {
  // Another port of localhost is "same-site".
  const isOwn = site === undefined ? origin === undefined || hostOf(origin) === withoutPort(host) : ownSites.has(site);
  return isOwn ? undefined : (origin ?? `a ${site} page`).slice(0, 200);
}

// none: typed by the user.
const ownSites: ReadonlySet<string> = new Set(["same-origin", "none"]);

/** undefined: "null", as of a page in a sandbox, or no URL. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function isReading(methods: readonly string[]): boolean {
  return methods.every((method) => method === "GET" || method === "HEAD" || method === "OPTIONS");
}

/** An origin does not have the default port of its scheme. */
function withoutPort(host: string | undefined): string | undefined {
  return host?.toLowerCase().replace(/:(80|443)$/, "");
}
