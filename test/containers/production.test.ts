import { cpSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePorts } from "@tally/local";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { temporaryDirectory } from "@tally/local/at-end";
import { root } from "../kit/programs.ts";
import { keepSending } from "../kit/sales.ts";
import { bearer } from "../kit/tally.ts";
import { documented, shellIn } from "./shell.ts";

/* The production system of infra/, started, changed and upgraded with the documented commands on a Docker engine. */

const project = "tally-containers-test";
const services = ["gateway", "writer", "ranker"] as const;
const apps = [...services, "admin"] as const;
const servers = ["rabbitmq", "database-primary", "database-replica", "redis"] as const;
const [port = 0] = await freePorts(1);
const [, nodeImage = ""] = /^ARG NODE_IMAGE=(.*)$/m.exec(readFileSync(join(root, "infra", "Dockerfile"), "utf8")) ?? [];
const url = `http://127.0.0.1:${port}`;
const folder = await temporaryDirectory();
// The checkout's own passwords and containers stay as they are.
cpSync(join(root, "infra"), join(folder, "infra"), {
  recursive: true,
  filter: (path) => !/infra\/(local|aws|secrets|\.env)/.test(path),
});
const { run, lines, leftOf } = shellIn(folder, {
  COMPOSE_PROJECT_NAME: project,
  TALLY_VERSION: "test",
  TALLY_PORT: String(port),
  // Docker chooses those of the servers.
  ...Object.fromEntries(
    ["AMQP", "DATABASE_PRIMARY", "DATABASE_REPLICA", "REDIS"].map((on) => [`TALLY_${on}_PORT`, "0"]),
  ),
});
const compose = "docker compose -f infra/compose.yaml -f infra/compose.production.yaml";
const containersOf = (service: string) => lines(`${compose} ps --all --quiet ${service}`);
const database = (client: string): string =>
  `${compose} exec --no-TTY database-primary bash -c 'MYSQL_PWD=$(</run/secrets/root) ${client}'`;
const machine = `${project}-ec2`;
const remove = `docker rm --force --volumes ${machine}; docker compose --project-name ${project} down --volumes --remove-orphans --timeout 1`;

let headers: ReturnType<typeof bearer>;
const acknowledged: string[] = [];

/** Sends keyed purchases through the balancer while `work` runs. Returns what its clients got. */
async function underLoad(work: () => Promise<unknown>, gateway = url) {
  const clients = keepSending([gateway], 4, headers);
  await clients.more();
  await work();
  await clients.more();
  const { ids, ...results } = await clients.stop();
  acknowledged.push(...ids.values());
  return results;
}
const noFailure = { statuses: { 201: expect.any(Number) }, triesMax: 1 };

beforeAll(async () => {
  await run(remove); // of a run that was killed
  for (const app of apps) {
    await run(`docker build -f infra/Dockerfile --build-arg APP=${app} -t localhost/tally-${app}:test .`, root);
    await run(`docker tag localhost/tally-${app}:test localhost/tally-${app}:next`);
  }
}, 1_200_000);
afterAll(() => run(remove), 120_000);

test("without passwords nothing is created, and the message names the command that makes them", async () => {
  await expect(run(`${compose} up --wait`)).rejects.toThrow("run first: sh infra/make-secrets.sh");
  expect(await leftOf([project])).toEqual([]);
});

test("from empty volumes the documented commands start a system that takes purchases", async () => {
  await run("sh infra/make-secrets.sh");
  await run(`${compose} up --wait`);
  const created = await run(documented("docs/containers.md", /^docker compose .*run --rm tally.*/m, "--json"));
  headers = bearer(JSON.parse(created).key);
  // Each gateway reads new keys once a second.
  await vi.waitFor(async () => {
    for (let n = 0; n < 10; n++) expect((await fetch(`${url}/purchases?limit=1`, { headers })).status).toBe(200);
  }, 20_000);
  expect(await underLoad(async () => undefined)).toEqual(expect.objectContaining(noFailure));
  const page = await fetch(`${url}/`);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<script")]);
});

test("images run as user 1000 on a read-only root with limited memory; their health check fails without an app", async () => {
  for (const app of services) {
    for (const id of await containersOf(app)) {
      const [inspected] = JSON.parse(await run(`docker inspect ${id}`));
      const { State, Config } = inspected;
      expect(inspected).toMatchObject({
        HostConfig: { ReadonlyRootfs: true, Memory: 2 ** 31 },
        State: { OOMKilled: false, Health: { Status: "healthy" } },
      });
      expect(readFileSync(`/proc/${State.Pid}/status`, "latin1")).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
      const [program, ...check] = Config.Healthcheck.Test.slice(1);
      const alone = `docker run --rm --entrypoint ${program} ${Config.Image} ${check.join(" ")}`;
      await expect(run(alone)).rejects.toThrow();
    }
  }
  const sizeOf = async (image: string) => Number(await run(`docker inspect --format '{{.Size}}' ${image}`));
  for (const app of apps) {
    const image = `localhost/tally-${app}:test`;
    expect(await sizeOf(image)).toBeLessThan((await sizeOf(nodeImage)) + 60e6);
    const write = `for (const to of ["/app/x", "/tmp/x", "x"]) try { fs.writeFileSync(to, ""); console.log(to) } catch {}`;
    expect(await run(`docker run --rm --read-only --entrypoint node ${image} --eval '${write}'`)).toBe("");
    expect(await run(`docker run --rm --entrypoint node ${image} --eval '${write}'`)).toBe("/tmp/x");
  }
});

test("adding and removing gateways, and an upgrade of every app to another tag, fail no request", async () => {
  const scale = (count: number) => `${compose} up --no-recreate --wait --scale gateway=${count}`;
  const scaled = await underLoad(async () => {
    await run(documented("docs/containers.md", /^docker compose .*--scale gateway=3 gateway$/m));
    await run(scale(4));
    await run(scale(2));
  });
  expect(scaled).toEqual(expect.objectContaining(noFailure));
  await run(`${compose} up -d --no-deps --no-recreate --wait --scale writer=3 writer`);
  // A right that the next release needs.
  const rights = (sql: string) => run(`${database("mysql --user=root")} <<'SQL'\n${sql}\nSQL`);
  await rights("REVOKE DELETE ON `tally%`.* FROM tally_ranker@'%'");
  await run(`docker stop $(${compose} ps --quiet gateway | head -n 1)`);
  const upgrade = documented("docs/runbook.md", /^compose="docker compose[^`]*/m);
  const upgraded = await underLoad(() => run(`export TALLY_VERSION=next\n${upgrade}`));
  expect(upgraded).toEqual(expect.objectContaining(noFailure));
  expect(await rights("SHOW GRANTS FOR tally_ranker@'%'")).toContain("DELETE");
  expect(await containersOf("writer")).toHaveLength(3);
  for (const app of services)
    for (const id of await containersOf(app))
      expect(await run(`docker inspect --format '{{.Config.Image}} {{.State.Status}}' ${id}`)).toBe(
        `localhost/tally-${app}:next running`,
      );
});

test("stopped and killed apps and restarted servers lose and double nothing", async () => {
  await underLoad(async () => {
    for (const service of [...services, ...servers]) {
      const [id] = await containersOf(service);
      await run(`docker kill ${id} && docker start ${id}`);
      if (services.some((app) => app === service)) await run(`docker stop ${id} && docker start ${id}`);
    }
    await run(`${compose} up --no-recreate --wait`);
  });
  await audit();
});

test("a restored dump has every acknowledged purchase, and the rankings are rebuilt from it", async () => {
  await run(`${compose} stop gateway writer ranker`);
  await run(
    database("mysqldump --user=root --single-transaction --set-gtid-purged=OFF --databases tally") + " > dump.sql",
  );
  await run(`echo 'DROP DATABASE tally' | ${database("mysql --user=root")}`);
  await run(`${database("mysql --user=root")} < dump.sql`);
  const redis = `REDISCLI_AUTH=$(</run/secrets/admin) valkey-cli --user tally FLUSHALL`;
  await run(`${compose} exec --no-TTY redis bash -c '${redis}'`);
  await run(`${compose} up --no-recreate --wait`);
  expect(await underLoad(async () => undefined)).toEqual(expect.objectContaining(noFailure));
  await audit();
});

/** Fails unless all that was acknowledged so far is stored and ranked, each once, and no other purchase is. */
async function audit(): Promise<void> {
  await writeFile(join(folder, "acknowledged"), acknowledged.map((id) => `${id}\n`).join(""));
  const file = `--volume ${join(folder, "acknowledged")}:/acknowledged:ro`;
  const how = "audit --json --wait 120 --acknowledged /acknowledged";
  const report = JSON.parse(await run(`${compose} run --rm --no-TTY ${file} tally ${how} || true`));
  const { length } = acknowledged;
  expect(report.audit).toMatchObject({ acknowledged: length, stored: length, ranked: length, lost: 0, doubled: 0 });
  expect(report.agrees).toBe(true);
}

test("the user data of infra/ec2 makes each app a unit of systemd; its gateway takes purchases, also after a kill", async () => {
  const image = "localhost/tally-ec2:test";
  await run(`docker build -f test/containers/ec2.Dockerfile --build-arg NODE_IMAGE=${nodeImage} -t ${image} .`, root);
  const options = `--network ${project}_default --label com.docker.compose.project=${project} --tmpfs /run`;
  const images = services.map((app) => `localhost/tally-${app}:test`).join(" ");
  const address = await run(`
    docker run --detach --name ${machine} --privileged --env container=docker ${options} --volume "$PWD/infra:/infra:ro" ${image} >&2
    docker save ${images} | docker exec --interactive ${machine} run-user-data writer ranker gateway >&2
    docker inspect --format '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' ${machine}`);
  const killed = await underLoad(() => run(`docker exec ${machine} docker kill tally`), `http://${address}:8080`);
  expect(killed.statuses).toMatchObject({ 201: expect.any(Number) });
  await audit();
});

test("no secret is in a container's description or in a log, and removal leaves nothing", async () => {
  const secrets = readFileSync(join(folder, "infra", ".env"), "utf8").match(/[0-9a-f]{32}/g) ?? [];
  expect(secrets).toHaveLength(9);
  const ids = (await lines(`${compose} ps --all --quiet`)).join(" ");
  const text = await run(`docker inspect ${ids}; for id in ${ids}; do docker logs $id 2>&1; done`);
  expect(text.length).toBeGreaterThan(10_000);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  await run(remove);
  expect(await leftOf([project])).toEqual([]);
});
