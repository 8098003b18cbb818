import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/*
 * What becomes of a connection when the server closes:
 *
 *   has sent nothing yet        ended: nobody waits for an answer. Node would wait a minute for its first request
 *   idle                        ended, by Node
 *   has begun a request         answered, and the answer closes it. Kept alive, it would hold the stop up
 *   left open by its client     ended when every request that came whole has been answered
 */

/** `answeredWithinMs`: the longest time from a whole request to its answer. */
export function addOrderlyClose(app: FastifyInstance, answeredWithinMs: number): void {
  const connections = new Set<Socket>();
  let closing = false;
  app.server.on("connection", (connection: Socket) => {
    connections.add(connection);
    connection.once("close", () => connections.delete(connection));
  });
  app.addHook("preClose", (done) => {
    closing = true;
    for (const connection of connections) if (connection.bytesRead === 0) connection.destroy();
    setTimeout(() => app.server.closeAllConnections(), answeredWithinMs).unref();
    done();
  });
  // By itself Fastify adds it only to requests whose head comes after the close has begun.
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (closing) reply.header("connection", "close");
    done();
  });
}
