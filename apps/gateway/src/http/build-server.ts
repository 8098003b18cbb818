import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { firstProblem, InvalidInput } from "@tally/contract";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { addAdmission, type AdmissionOptions } from "../admission/admission.ts";
import type { GatewayConfig } from "../config.ts";
import { rejection } from "../errors/catalogue.ts";
import { reject, rejectionOfError } from "../errors/reject.ts";
import { addContentTypes } from "./body/content.ts";
import { AddressBudget, type HasRoom, limitConnections, responseBudget } from "./connection/address-limits.ts";
import { addressesIn } from "./connection/client-address.ts";
import { Wire, type WireOptions } from "./connection/wire.ts";
import { addRouteTimes } from "./connection/response-times.ts";
import { addFilesAndCompression } from "./send-files.ts";
import { allowedMethods, routing } from "./routes/allowed-methods.ts";

/*
 * The life of a request, in the order in which it is set up below:
 *
 *   connection     limits for all clients and for each address (address-limits.ts); time limits, turns of pipelined
 *                  requests, and one response for each request in order (wire.ts): 400, 405, 408, 417, 431
 *   route          by method and path (routing): 404, or 405 with Allow
 *   onRequest      API key, scope, rate limit (../admission/admission.ts): 401, 403, 429
 *   preValidation  the body is read within the byte budget, decoded and parsed (body/content.ts): 400, 413, 415, 503
 *   validation     params, query and body match the schemas of the route: 400
 *   preHandler     the API key's stores, and the rate limit for the entries of a bulk request (admission.ts): 403, 413,
 *                  429
 *   handler        without API keys, first: no page of another site (../admission/admission.ts): 403. routes/:
 *                  publishes events, or reads
 *   onSend         the memory of large responses: 503; compression (send-files.ts)
 *   error          thrown by any step: its rejection (../errors/catalogue.ts), or 500 and a line in the log
 */

export interface ServerOptions extends Pick<WireOptions, "errorKeyOf" | "onRejected" | "times"> {
  readonly log: FastifyBaseLogger;
  readonly admission: AdmissionOptions;
  readonly onConnectionRejected: (limit: "all" | "address") => void;
}

/** The HTTP server without routes. */
export async function buildServer(config: GatewayConfig, options: ServerOptions): Promise<FastifyInstance> {
  const { log, admission, errorKeyOf, onRejected, onConnectionRejected, times } = options;
  const { headersWithinMs, bodyWithinMs, connectionsMax, connectionsShare } = config;
  const isProxy = addressesIn(config.trustProxy);
  const respondToError = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const rejected = rejectionOfError(error);
    if (rejected !== undefined) return reject(reply, rejected);
    log.error({ err: error, requestId: request.id, url: request.url }, "a request failed");
    return reject(reply, rejection("INTERNAL", { requestId: request.id }));
  };

  const wire = new Wire({ headersWithinMs, bodyWithinMs, onRejected, errorKeyOf, times });
  const app = fastify({
    // With a logger, Fastify would make a child logger for each request. Its warnings get this one.
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: () => log,
    requestIdHeader: "x-request-id",
    bodyLimit: config.bodyBytesMax,
    trustProxy: isProxy,
    routerOptions: routing,
    // While the gateway stops, it serves requests on open connections; the response closes the connection.
    return503OnClosing: false,
    serverFactory: (handle) => wire.serve(handle),
    clientErrorHandler: (error, socket) => wire.broken(error, socket),
    frameworkErrors: (error, request, reply) => void respondToError(error, request, reply),
  });
  app.decorate("onRejected", onRejected);
  app.decorate("errorKeyOf", errorKeyOf);
  limitConnections(app.server, {
    max: connectionsMax,
    perAddressMax: Math.ceil(connectionsMax * connectionsShare),
    isProxy,
    onRejected: onConnectionRejected,
  });
  const methodsOf = allowedMethods(app);
  app.setNotFoundHandler((request, reply) => {
    const { method, url } = request;
    const allowed = methodsOf(url);
    if (allowed.length === 0) return reject(reply, rejection("PATH_NOT_FOUND", { method, path: url.slice(0, 200) }));
    reply.header("allow", allowed.join(", "));
    return reject(reply, rejection("METHOD_NOT_ALLOWED", { allowed: allowed.join(" or "), method }));
  });
  addAdmission(app, admission);
  addRouteTimes(app, times);
  const newBudget = () => new AddressBudget(config.bodiesBytesMax, config.bodiesBytesMax * config.bodiesShare);
  addContentTypes(app, newBudget());
  app.setValidatorCompiler<TSchema>(({ schema }) => {
    const check = Compile(schema);
    return (value: unknown) => {
      return check.Check(value) || { error: InvalidInput.of(firstProblem(check, value)) };
    };
  });
  app.addHook("preClose", (done) => {
    wire.close(respondedWithinMs(config));
    done();
  });
  app.decorate("hasRoom", responseBudget(newBudget()));
  await addFilesAndCompression(app);
  app.setErrorHandler(respondToError);
  return app;
}

/** The longest time from a whole request to its response, without rankings of many days: a stop ends them. */
function respondedWithinMs({ confirmWithinMs, queryWithinMs, foundWithinMs, stopWithinMs }: GatewayConfig): number {
  // One second more, for the work besides waiting. With any settings, a stop ends in time.
  return Math.min(Math.max(confirmWithinMs, queryWithinMs) + foundWithinMs + 1000, stopWithinMs * 0.8);
}

declare module "fastify" {
  interface FastifyInstance {
    /** onSend asks it for each GET; a route that changes something asks before. */
    readonly hasRoom: HasRoom;
  }
}
