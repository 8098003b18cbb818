import type { FastifyInstance } from "fastify";
import { healthReply, type Health, type Registry } from "@tally/service";

const open = { config: { access: "open" } } as const;

/** What operators and load balancers ask: is it alive, can it work, what does it count. */
export function addOperatorRoutes(
  app: FastifyInstance,
  o: { readonly registry: Registry; readonly ready: () => Promise<Health> },
): void {
  app.get("/health/live", open, async () => ({ status: "ok" }));
  app.get("/health/ready", open, async (_request, reply) => {
    const { status, body } = healthReply(await o.ready());
    return reply.code(status).send(body);
  });
  app.get("/metrics", open, async (_request, reply) =>
    reply.type(o.registry.contentType).send(await o.registry.metrics()),
  );
}
