import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/*
 * What happens to a connection when the server closes:
 *
 *   without a byte received   closed at once. Node would wait a minute for a first request
 *   idle                      closed by Node
 *   with a request            closed by the response. With keep-alive it would delay the stop
 *   with half a request       closed after the longest time from a whole request to its response
 */

/** `respondedWithinMs`: the longest time from a whole request to its response. */
export function addOrderlyClose(app: FastifyInstance, respondedWithinMs: number): void {
  const connections = new Set<Socket>();
  let closing = false;
  app.server.on("connection", (connection: Socket) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
  });
  app.addHook("preClose", (done) => {
    closing = true;
    for (const connection of connections) if (connection.bytesRead === 0) connection.destroy();
    setTimeout(() => app.server.closeAllConnections(), respondedWithinMs).unref();
    done();
  });
  // Fastify adds it only to requests whose head arrives after the close has begun.
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (closing) reply.header("connection", "close");
    done();
  });
}
