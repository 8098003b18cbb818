import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { addressVariables, freePorts, type Addresses } from "@tally/local";
import { expect, test, vi } from "vitest";
import { buildImage, type Image } from "./image/build-image.ts";
import { canStartContainers, startContainer } from "./image/start-container.ts";
import { temporaryDirectory } from "./kit/at-end.ts";
import { servicesOfRun } from "./kit/system.ts";

/** The environment variables of a container with these addresses. */
function variablesOf(addresses: Addresses): Record<string, string> {
  return Object.fromEntries(Object.entries(addressVariables(addresses)).map(([name, value]) => [name, value ?? ""]));
}

test.skipIf(!canStartContainers())(
  "each image runs as an ordinary user on a read-only root: tables, a key, a purchase in the ranking, the page, a clean stop",
  async () => {
    const folder = await temporaryDirectory();
    const images = new Map<string, Image>();
    for (const app of ["admin", "writer", "ranker", "gateway"]) {
      await mkdir(join(folder, app));
      images.set(app, await buildImage(app, join(folder, app)));
    }
    const imageOf = (app: string): Image => {
      const image = images.get(app);
      if (image === undefined) throw new TypeError(`there is no image ${app}`);
      return image;
    };
    const namespace = `t${randomBytes(4).toString("hex")}`;
    const { addresses, accounts } = await servicesOfRun(namespace);
    const [port = 0, ...operatorPorts] = await freePorts(4);
    const [gatewayPort = 0, writerPort = 0, rankerPort = 0] = operatorPorts;
    const common = {
      NAMESPACE: namespace,
      HOST: "127.0.0.1",
      PORT: String(port),
      GATEWAY_HEALTH_PORT: String(gatewayPort),
      WRITER_HEALTH_PORT: String(writerPort),
      RANKER_HEALTH_PORT: String(rankerPort),
    };
    const runAdmin = async (...command: readonly string[]): Promise<string> => {
      const container = startContainer(imageOf("admin"), { ...common, ...variablesOf(addresses) }, { command });
      expect([await container.ended, container.output()]).toEqual([0, expect.anything()]);
      return container.output();
    };
    await runAdmin("migrate");
    const { key } = JSON.parse(
      await runAdmin("keys", "create", "--name", "till", "--scope", "*:write", "*:read", "--json"),
    );

    const apps = (["writer", "ranker", "gateway"] as const).map((app) => {
      const environment = { ...common, ...variablesOf(accounts[app]) };
      return { app, environment, container: startContainer(imageOf(app), environment) };
    });
    const isAlive = async ({ app, environment }: (typeof apps)[number]): Promise<boolean> => {
      const image = imageOf(app);
      return (await startContainer(image, environment, { entrypoint: image.healthCheck }).ended) === 0;
    };
    for (const app of apps) {
      await vi.waitFor(
        async () => expect([await isAlive(app), app.container.output()]).toEqual([true, expect.anything()]),
        30_000,
      );
      // As root, the test switches to the user of the image.
      if (process.getuid?.() === 0)
        expect(readFileSync(`/proc/${app.container.pid}/status`, "latin1")).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
    }
    for (const app of ["gateway", "writer", "ranker", "admin"]) {
      const attempt = startContainer(
        imageOf(app),
        {},
        {
          entrypoint: [
            "node",
            "--eval",
            'for (const to of ["/app/x", "/tmp/x", "x"]) try { fs.writeFileSync(to, ""); console.log(to) } catch {}',
          ],
        },
      );
      expect([await attempt.ended, attempt.output()]).toEqual([0, ""]);
    }

    const url = `http://127.0.0.1:${port}`;
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const sell = (): Promise<Response> =>
      fetch(`${url}/purchase/7/customer/7001/date/20261120`, {
        method: "POST",
        headers: { ...headers, "idempotency-key": namespace },
        body: JSON.stringify({ items: [{ ItemID: "85571", numberOfItems: 3 }] }),
      });
    await vi.waitFor(async () => expect((await sell()).status).toBe(201), 30_000);
    await vi.waitFor(async () => {
      const ranking = await fetch(`${url}/items/store/7`, { headers });
      expect(await ranking.json()).toEqual({ stores: [{ itemID: 85571, numberOfItems: 3 }] });
    }, 30_000);
    const page = await fetch(`${url}/`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<script")]);

    for (const app of apps.toReversed()) {
      app.container.kill("SIGTERM");
      expect([app.app, await app.container.ended]).toEqual([app.app, 0]);
      expect(await isAlive(app)).toBe(false);
    }
  },
  600_000,
);
