import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { domains } from "@tally/domains";
import { createLogger, readConfig } from "@tally/runtime";
import fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { gatewaySettings } from "../../config.ts";
import { catalogue } from "../../errors/catalogue.ts";
import { startGateway, type Gateway } from "../../start-gateway.ts";
import { addReference } from "./add-reference.ts";
import { withoutRoute } from "./components.ts";
import type { Named } from "./documented.ts";

/* The API reference of a gateway without servers. test/api-reference.test.ts sends its examples to a whole system, and
 * test/page/views.long.test.ts opens its page. */

// Nothing listens there.
const nothing = "127.0.0.1:1";

/** A gateway without its servers: it serves its API reference and rejects everything else. Ready after 1 s. */
async function started(settings: Readonly<Record<string, string>> = {}): Promise<Gateway> {
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
  const gateway = await startGateway(config, createLogger({ name: "gateway", level: "silent" }), AbortSignal.abort());
  onTestFinished(() => gateway.stop());
  return gateway;
}

/** The parts of an OpenAPI document that these tests read. */
interface ApiDocument {
  readonly openapi: string;
  readonly paths: Named<Named<{ readonly responses: Named<{ readonly content?: Named<{ examples?: object }> }> }>>;
}

async function documentOf({ port }: Gateway): Promise<ApiDocument> {
  const response = await fetch(`http://127.0.0.1:${port}/openapi.json`);
  expect(response.status).toBe(200);
  return JSON.parse(await response.text());
}

test("docs/openapi.json is the document of a gateway; `pnpm openapi` writes it", async () => {
  const document = await documentOf(await started());
  const file = fileURLToPath(new URL("../../../../../docs/openapi.json", import.meta.url));
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot(file);
});

test("the document is valid OpenAPI 3.1", async () => {
  const document = await documentOf(await started({ BASE_PATHS: "/shop,/steps,/" }));
  const validator = new Validator();
  const result = await validator.validate(structuredClone({ ...document }));
  expect(result).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
  expect(document.openapi).toBe("3.1.0");
});

test("the document has every route of every domain, and the server has every path below every base path", async () => {
  const gateway = await started({ BASE_PATHS: "/shop,shop/,/steps,/" });
  const { paths } = await documentOf(gateway);
  const documented = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  for (const { routes, queries, puts } of domains) {
    for (const { kind, path } of [...routes, ...queries, ...puts]) {
      const method = kind === "put" ? "PUT" : kind === "query" || kind === "content" ? "GET" : "POST";
      expect(documented).toContain(`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    }
  }
  const own = /^\/(openapi\.json|health\/live|status|dead-letters.*|views|live)$/;
  const served = documented.flatMap((one) => {
    const [method = "", path = ""] = one.split(" ");
    return (own.test(path) ? [""] : ["", "/shop", "/steps"]).map((prefix) => `${method} ${prefix}${path}`);
  });
  // The root is a base path here, so it has the paths without the word of their service too.
  for (const prefix of ["", "/shop"]) served.push(`POST ${prefix}/{userID}/{day}/{timeInterval}/{stepCount}`);
  // A path with other methods is 405, and Allow names them.
  for (const one of served) {
    const [method = "", path = ""] = one.split(" ");
    const response = await fetch(`http://127.0.0.1:${gateway.port}${path.replaceAll(/\{\w+\}/g, "1")}`, {
      method: "OPTIONS",
    });
    expect([one, response.status]).toEqual([one, 405]);
    expect(response.headers.get("allow")?.split(", ")).toContain(method);
  }
});

test("the document has every error of the catalogue, below a route or as one without", async () => {
  const validator = new Validator();
  await validator.validate({ ...(await documentOf(await started())) });
  // The same document, without references.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const document = validator.resolveRefs() as unknown as ApiDocument;
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const codes = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, { content }]) =>
      Number(status) < 400 ? [] : Object.keys(content?.["application/json"]?.examples ?? {}),
    ),
  );
  expect(new Set([...codes, ...withoutRoute])).toEqual(new Set(Object.keys(catalogue)));
  for (const operation of operations) {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const own = Object.entries(catalogue).filter(([code]) => code in (content?.["application/json"]?.examples ?? {}));
      expect(own.map(([, [ofCode]]) => String(ofCode))).toEqual(own.map(() => status));
    }
  }
});

test("a route that is not documented cannot be added", () => {
  const app = fastify();
  addReference(app);
  expect(() => app.get("/secret", { config: { access: "open" } }, async () => "")).toThrow(
    "GET /secret: expected config.access and config.documented",
  );
});

test("the page /docs loads only files of the gateway, which a client may keep", async () => {
  const { port } = await started();
  const url = `http://127.0.0.1:${port}`;
  const page = await fetch(`${url}/docs`);
  const policy = page.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/https?:|\*/);
  const text = await page.text();
  const links = Array.from(text.matchAll(/(?:href|src)="(\/[^"]*)"/g), ([, path = ""]) => path);
  expect(links).toEqual(expect.arrayContaining(["/openapi.json", "/docs/start.js"]));
  expect(text).not.toMatch(/(?:href|src)="(?!\/|data:)/);
  for (const path of links) {
    const file = await fetch(url + path);
    expect([path, file.status, file.headers.get("content-encoding")]).toEqual([path, 200, "gzip"]);
    const plain = await fetch(url + path, { headers: { "accept-encoding": "identity" } });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(await plain.text()).toBe(await file.text());
    // Without it, fetch asks for a new response.
    const headers = { "cache-control": "max-age=0", "if-none-match": file.headers.get("etag") ?? "" };
    const known = await fetch(url + path, { headers });
    expect([known.status, await known.text()]).toEqual([304, ""]);
  }
});
