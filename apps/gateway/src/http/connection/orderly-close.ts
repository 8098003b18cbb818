import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Wire } from "./wire.ts";

/*
 * What happens to a connection when the server closes:
 *
 *   without a byte received   closed at once. Node would wait a minute for a first request
 *   idle                      closed by Node
 *   with a request            closed by the response. With keep-alive it would delay the stop
 *   with half a request       closed after the longest time from a whole request to its response
 */

/** `respondedWithinMs`: the longest time from a whole request to its response. */
export function addOrderlyClose(app: FastifyInstance, wire: Wire, respondedWithinMs: number): void {
  const connections = new Set<Socket>();
  app.server.on("connection", (connection: Socket) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
  });
  app.addHook("preClose", (done) => {
    for (const connection of connections) {
      if (connection.bytesRead === 0) connection.destroy();
      // Fastify does it for requests whose head arrives after the close has begun.
      else wire.closeAfterResponse(connection);
    }
    setTimeout(() => app.server.closeAllConnections(), respondedWithinMs).unref();
    done();
  });
}
