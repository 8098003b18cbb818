import type { FastifyInstance } from "fastify";

/** For load balancers: the process is alive. Readiness and metrics are on the operator port, because they cost more than this. */
export function addLiveRoute(app: FastifyInstance): void {
  app.get("/health/live", { config: { access: "open" } }, async () => ({ status: "ok" }));
}
