import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";

// Every request is measured: two clock readings, and a search among 14 bounds. An observation of prom-client joins the
// labels to a text and looks it up, which takes longer than all of this.

/** From 1 ms to 30 s. */
const boundsMs = Float64Array.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000);

export const responseTimesMetric = {
  name: "tally_http_request_seconds",
  help:
    "Time from the head of a request to the end of its response, by route; status none: the client left before the " +
    "response",
  type: "histogram",
  labelNames: ["method", "route", "status"],
};

/** In buckets, and in all. */
interface Times {
  readonly counts: Float64Array;
  sumMs: number;
}

/** The response times of one route. */
export class RouteTimes {
  /** As Prometheus text. */
  readonly labels: string;
  /** By status; 0: none. Grows to the highest status, so at most 600 places. */
  readonly byStatus: (Times | undefined)[] = [];

  constructor(method: string, route: string) {
    this.labels = `method="${method}",route="${route}"`;
  }

  add(status: number, ms: number): void {
    // The last bucket has no upper bound.
    const times = (this.byStatus[status] ??= { counts: new Float64Array(boundsMs.length + 1), sumMs: 0 });
    let bucket = 0;
    while (bucket < boundsMs.length && ms > (boundsMs[bucket] ?? 0)) bucket++;
    times.counts[bucket] = (times.counts[bucket] ?? 0) + 1;
    times.sumMs += ms;
  }
}

/** The response times of all routes. */
export class ResponseTimes {
  readonly #routes: RouteTimes[] = [];
  /** Paths without a route, and requests that are rejected before routing. */
  readonly #unrouted = this.route("any", "none");

  /** Call it once for each route. `path` in Fastify's form: "/items/store/:storeID". */
  route(method: string, path: string): RouteTimes {
    const times = new RouteTimes(method, path.replaceAll(/:(\w+)/g, "{$1}"));
    this.#routes.push(times);
    return times;
  }

  /** Counts a response that has ended, or whose client has disconnected. */
  ended(response: ServerResponse): void {
    const { route = this.#unrouted, takenAtMs = 0, headersSent, statusCode } = response;
    if (route !== null) route.add(headersSent ? statusCode : 0, performance.now() - takenAtMs);
  }

  /** Prometheus text. */
  text(): string {
    const { name, help, type } = responseTimesMetric;
    const lines = this.#routes.flatMap(({ labels, byStatus }) =>
      byStatus.flatMap((times, status) =>
        times === undefined ? [] : linesOf(`${labels},status="${status === 0 ? "none" : status}"`, times),
      ),
    );
    return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
  }
}

function linesOf(labels: string, { counts, sumMs }: Times): readonly string[] {
  const { name } = responseTimesMetric;
  let upTo = 0;
  const buckets = Array.from(counts, (count, index) => {
    const bound = boundsMs[index];
    upTo += count;
    return `${name}_bucket{${labels},le="${bound === undefined ? "+Inf" : bound / 1000}"} ${upTo}`;
  });
  return [...buckets, `${name}_sum{${labels}} ${sumMs / 1000}`, `${name}_count{${labels}} ${upTo}`];
}

declare module "node:http" {
  // The type parameter is that of the class.
  // oxlint-disable-next-line no-unused-vars
  interface ServerResponse<Request extends IncomingMessage = IncomingMessage> {
    /** When the head of its request was read, by performance.now(). */
    takenAtMs?: number;
    /** The route that responds. Absent before routing and without a route; null for a stream, which is not measured. */
    route?: RouteTimes | null;
  }
}

/** Names the route of each response of routes that are added later. In the call of the handler: a hook would cost each
 * request closures. reject() does it for requests that are rejected before. */
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
