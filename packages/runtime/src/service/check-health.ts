import { get } from "node:http";
import { readConfigOrExit } from "./config.ts";
import { choice, integer } from "./setting.ts";

/*
 * The health check of the images: exits with 0 when /health/live of the container's app responds with 200, else with 1.
 * A test compares the ports with docs/settings.md.
 */

const port = { min: 0, max: 65_535 } as const;
const ports = readConfigOrExit({
  gateway: integer("PORT", "of the gateway", { ...port, default: 8080 }),
  writer: integer("WRITER_HEALTH_PORT", "of the writer", { ...port, default: 8081 }),
  ranker: integer("RANKER_HEALTH_PORT", "of the ranker", { ...port, default: 8082 }),
});
const { app } = readConfigOrExit({
  app: choice("APP", "the app of this image", { of: ["gateway", "writer", "ranker", "admin"] }),
});

// A command has no port.
if (app === "admin") process.exit(0);
// Less than the time limit of HEALTHCHECK.
const request = get({ host: "127.0.0.1", port: ports[app], path: "/health/live", timeout: 4000 }, ({ statusCode }) =>
  process.exit(statusCode === 200 ? 0 : 1),
);
request.once("timeout", () => process.exit(1));
request.once("error", () => process.exit(1));
