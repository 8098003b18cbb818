import type { FastifyInstance } from "fastify";
import type { ResponseTimes, RouteTimes } from "../connection/response-times.ts";

/**
 * Names the route of each response, so that its time is counted there. In the call of the handler: a hook would cost each request closures.
 * reject() does it for requests that are rejected before. Call it before routes are added.
 */
export function addRouteTimes(app: FastifyInstance, times: ResponseTimes): void {
  app.addHook("onRoute", (route) => {
    const { handler, config } = route;
    const own = config?.isStream === true ? null : times.route([route.method].flat().join(), route.url);
    route.config = { ...config, times: own };
    route.handler = function handleTimed(request, reply) {
      reply.raw.route = own;
      return handler.call(this, request, reply);
    };
  });
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Its responses stay open, so their duration has no meaning. */
    isStream?: boolean;
    /** Where its response times are counted; null: nowhere. */
    times?: RouteTimes | null;
  }
}
