import { readFile } from "node:fs/promises";
import { createLogger, readConfig } from "@tally/runtime";
import { gatewaySettings } from "../../config.ts";
import { startGateway, type Gateway } from "../../start-gateway.ts";
import type { ApiDocument } from "./api-document.ts";
import { withTables } from "./http-tables.ts";

const docs = new URL("../../../../../docs/", import.meta.url);

/** The files of docs/ that follow from the code, with the texts that they must have. The formatter may change their white space. */
export async function generatedDocuments(): Promise<readonly { readonly file: URL; readonly text: string }[]> {
  const gateway = await startAlone();
  try {
    const document = await documentOf(gateway);
    const http = new URL("http.md", docs);
    return [
      { file: new URL("openapi.json", docs), text: `${JSON.stringify(document, null, 2)}\n` },
      { file: http, text: withTables(await readFile(http, "utf8"), document) },
    ];
  } finally {
    await gateway.stop();
  }
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
