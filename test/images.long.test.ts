import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { addressVariables, freePorts, type Addresses } from "@tally/local";
import { expect, test, vi } from "vitest";
import { buildImage, type Image } from "./image/build-image.ts";
import { canStartContainers, startContainer } from "./image/start-container.ts";
import { temporaryDirectory } from "./kit/at-end.ts";
import { sell } from "./kit/sales.ts";
import { servicesOfRun } from "./kit/system.ts";
import { bearer } from "./kit/tally.ts";

const apps = ["writer", "ranker", "gateway"] as const;

/** The images of all apps, with an own database, and what starts them. */
async function openImages() {
  const folder = await temporaryDirectory();
  const images = new Map<string, Image>();
  for (const app of ["admin", ...apps]) {
    await mkdir(join(folder, app));
    images.set(app, await buildImage(app, join(folder, app)));
  }
  const imageOf = (app: string): Image => images.get(app) ?? expect.fail(`there is no image ${app}`);
  const namespace = `t${randomBytes(4).toString("hex")}`;
  const { addresses, accounts } = await servicesOfRun(namespace);
  const [port = 0, gatewayPort, writerPort, rankerPort] = await freePorts(4);
  const environmentOf = (own: Addresses): Record<string, string> => ({
    NAMESPACE: namespace,
    HOST: "127.0.0.1",
    PORT: String(port),
    GATEWAY_HEALTH_PORT: String(gatewayPort),
    WRITER_HEALTH_PORT: String(writerPort),
    RANKER_HEALTH_PORT: String(rankerPort),
    ...Object.fromEntries(Object.entries(addressVariables(own)).map(([name, value = ""]) => [name, value])),
  });
  return {
    url: `http://127.0.0.1:${port}`,
    start: (app: (typeof apps)[number]) => startContainer(imageOf(app), environmentOf(accounts[app])),
    async runAdmin(...command: readonly string[]): Promise<string> {
      const container = startContainer(imageOf("admin"), environmentOf(addresses), { command });
      expect([await container.ended, container.output()]).toEqual([0, expect.anything()]);
      return container.output();
    },
    async isAlive(app: (typeof apps)[number]): Promise<boolean> {
      const image = imageOf(app);
      const check = startContainer(image, environmentOf(accounts[app]), { entrypoint: image.healthCheck });
      return (await check.ended) === 0;
    },
    /** The places where a program of the image can create a file. */
    async writable(app: string): Promise<string> {
      const script =
        'for (const to of ["/app/x", "/tmp/x", "x"]) try { fs.writeFileSync(to, ""); console.log(to) } catch {}';
      const attempt = startContainer(imageOf(app), {}, { entrypoint: ["node", "--eval", script] });
      expect(await attempt.ended).toBe(0);
      return attempt.output();
    },
  };
}

test.skipIf(!canStartContainers())(
  "each image runs as an ordinary user on a read-only root, serves, and stops",
  async () => {
    const images = await openImages();
    const { url } = images;
    await images.runAdmin("migrate");
    const scopes = ["--scope", "*:write", "*:read"];
    const { key } = JSON.parse(await images.runAdmin("keys", "create", "--name", "till", ...scopes, "--json"));
    const running = apps.map((app) => ({ app, container: images.start(app) }));
    for (const { app, container } of running) {
      const check = async () =>
        expect([await images.isAlive(app), container.output()]).toEqual([true, expect.anything()]);
      await vi.waitFor(check, 30_000);
      // As root, the test switches to the user of the image.
      if (process.getuid?.() === 0)
        expect(readFileSync(`/proc/${container.pid}/status`, "latin1")).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
    }
    for (const app of ["admin", ...apps]) expect([app, await images.writable(app)]).toEqual([app, ""]);

    const headers = bearer(key);
    const sale = { item: 85_571, quantity: 3, headers: { ...headers, "idempotency-key": "once" } };
    await expect.poll(async () => (await sell(url, 7, sale)).status).toBe(201);
    await vi.waitFor(async () => {
      const ranking = await fetch(`${url}/items/store/7`, { headers });
      expect(await ranking.json()).toEqual({ stores: [{ itemID: 85571, numberOfItems: 3 }] });
    }, 30_000);
    const page = await fetch(`${url}/`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<script")]);

    for (const { app, container } of running.toReversed()) {
      container.kill("SIGTERM");
      expect([app, await container.ended]).toEqual([app, 0]);
      expect(await images.isAlive(app)).toBe(false);
    }
  },
  600_000,
);
