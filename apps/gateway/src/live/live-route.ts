import type { ServerResponse } from "node:http";
import { InvalidInput } from "@tally/contract";
import type { FastifyInstance, FastifyReply } from "fastify";
import { Type } from "typebox";
import { keyOfRequest, type AdmissionOptions } from "../admission/admission.ts";
import { rejection, type Rejection } from "../errors/catalogue.ts";
import { reject, rejectionOfError } from "../errors/reject.ts";
import type { OwnDocument } from "../http/reference/documented.ts";
import { clientOf } from "../http/connection/client-address.ts";
import { Feeds, type FeedSource, type WatchedResponse } from "./feeds.ts";
import { beatFrame, Stream, Streams, type StreamsOptions } from "./streams.ts";
import type { Watchable, Watchables } from "./watchables.ts";

const watchesMax = 8;
const bodyCharactersMax = 256 * 1024;
const expected = `1 to ${watchesMax} paths of GET routes`;
const paths = { type: "array", items: { type: "string" }, minItems: 1, maxItems: watchesMax };
const Query = Type.Object({
  watch: Type.Optional(Type.Unknown({ expected: `${expected} with a JSON response`, documented: paths })),
});
const documented: OwnDocument = {
  path: "/live",
  summary: "the responses of up to 8 GETs, whenever one changes, as server-sent events",
  description: "The key needs the rights of each path",
  type: "text/event-stream",
  errors: [
    "STORE_FORBIDDEN",
    "STORE_LIMITED",
    "NOT_FOUND",
    "UNREADABLE",
    "STREAMS_FULL",
    "STREAMS_OF_ADDRESS_FULL",
    "WATCH_TOO_LARGE",
  ],
};

export interface LiveOptions extends StreamsOptions {
  readonly watchables: Watchables;
  readonly check: AdmissionOptions["check"];
}

/** GET /live: server-sent events with the responses of up to 8 GETs, at the start and whenever one changes. */
export function addLiveRoute(app: FastifyInstance, { watchables, check, ...limits }: LiveOptions): void {
  const streams = new Streams(limits);
  const feeds = new Feeds();
  app.addHook("preClose", (done) => {
    streams.close();
    done();
  });
  const config = { access: "anyKey", isStream: true, documented } as const;
  app.get<{ Querystring: { readonly watch?: unknown } }>(
    "/live",
    // A HEAD would have no end.
    { exposeHeadRoute: false, config, schema: { querystring: Query } },
    async (request, reply) => {
      const watched = pathsOf(request.query.watch).map((path) => ({ path, watchable: watchables.find("watch", path) }));
      const address = clientOf(request.ip);
      for (const { watchable } of watched) {
        const forbidden = await watchable.route.forbidden(watchable.request, request.grant);
        if (forbidden !== undefined) return reject(reply, forbidden);
      }
      const { socket } = request.raw;
      // Closed during the checks: there would be no "close" any more.
      if (socket.destroyed) return reply.hijack();
      const full = streams.take(address, feeds.hasRoom);
      if (full !== undefined) return reject(reply, full);
      const key = keyOfRequest(request.headers);
      const isAllowed = (): boolean => check === undefined || (key !== undefined && check(key) !== "invalid");
      const stream = new Stream(openEvents(reply));
      const release = streams.add(stream, address, isAllowed);
      for (const [index, { path, watchable }] of watched.entries()) {
        stream.show(
          feeds.join(path, stream, () => sourceOf(watchable, reply)),
          index,
        );
      }
      // Pipelined requests may open many streams on one connection.
      socket.setMaxListeners(0);
      reply.raw.once("close", () => {
        release();
        for (const { path } of watched) feeds.leave(path, stream);
      });
      // Every other response is finished for a client that has closed its sending side. A stream has no end.
      socket.once("end", () => socket.destroy());
      return reply;
    },
  );
}

function pathsOf(watch: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(watch) ? watch : watch === undefined ? [] : [watch];
  const texts = values.filter((value) => typeof value === "string");
  if (texts.length > 0 && texts.length <= watchesMax) return texts;
  throw new InvalidInput("watch", expected, `${texts.length} of them`);
}

/** Begins the response. It is the last one on its connection, so that the end of the stream closes the connection. */
function openEvents(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const { raw } = reply;
  raw.shouldKeepAlive = false;
  // Those of the rate limit.
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
  raw.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    // A proxy that collects or compresses events would delay them.
    "cache-control": "no-store, no-transform",
    "x-accel-buffering": "no",
  });
  raw.write(beatFrame());
  return raw;
}

function sourceOf({ route, request, errorKey, serializer }: Watchable, reply: FastifyReply): FeedSource {
  const serialize = serializer(reply);
  const { log } = reply;
  const requestId = reply.request.id;
  let isLogged = false;
  const rejected = ({ status, message }: Rejection): WatchedResponse => {
    return { status, body: JSON.stringify({ [errorKey]: message }) };
  };
  return {
    everyMs: route.everyMs,
    full: rejected(rejection("STREAMS_FULL")),
    async read() {
      try {
        const body = serialize(await route.respond(request));
        isLogged = false;
        if (body.length <= bodyCharactersMax) return { status: 200, body };
        return rejected(rejection("WATCH_TOO_LARGE", { max: bodyCharactersMax }));
      } catch (error) {
        const known = rejectionOfError(error);
        if (known !== undefined) return rejected(known);
        if (!isLogged) log.error({ err: error, requestId }, "a watched request failed");
        isLogged = true;
        return rejected(rejection("INTERNAL", { requestId }));
      }
    },
  };
}
