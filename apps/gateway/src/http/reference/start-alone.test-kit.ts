import { createLogger, readConfig } from "@tally/runtime";
import { gatewaySettings } from "../../config.ts";
import { startGateway, type Gateway } from "../../start-gateway.ts";

/** The parts of an OpenAPI document that tests read. */
export interface ApiDocument {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
}

interface ApiOperation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly examples?: object }>> }>
  >;
}

// Nothing listens there.
const nothing = "127.0.0.1:1";

/** A gateway without its servers: it serves its API reference and rejects everything else. Ready after 1 s. */
export function startAlone(settings: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const config = readConfig(gatewaySettings, {
    AMQP_URL: `amqp://${nothing}`,
    DATABASE_WRITE_URL: `mysql://${nothing}/none`,
    DATABASE_READ_URL: `mysql://${nothing}/none`,
    REDIS_URL: `redis://${nothing}`,
    AUTH: "off",
    HOST: "127.0.0.1",
    PORT: "0",
    GATEWAY_HEALTH_PORT: "0",
    LOG_LEVEL: "silent",
    ...settings,
  });
  // It does not wait for the broker: it was asked to stop already.
  return startGateway(config, createLogger({ name: "gateway", level: config.logLevel }), AbortSignal.abort());
}

/** GET /openapi.json. */
export async function documentOf({ port }: Gateway): Promise<ApiDocument> {
  const response = await fetch(`http://127.0.0.1:${port}/openapi.json`);
  if (response.status !== 200) throw new Error(`GET /openapi.json: ${response.status} ${await response.text()}`);
  // The gateway's own response.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (await response.json()) as ApiDocument;
}
