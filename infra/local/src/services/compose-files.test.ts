import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig, systemSettings } from "@tally/runtime";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { temporaryDirectory } from "../at-end.test-kit.ts";
import { filledTemplate, keptPasswords } from "../servers/context.ts";
import { heapFlags } from "../start-apps.ts";
import { passwordVariables } from "./compose-project.ts";

interface Service {
  readonly image?: string;
  readonly build?: { readonly args: { readonly APP: string } };
  readonly restart?: string;
  readonly init?: boolean;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly container_name?: string;
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly { readonly source: string; readonly target: string }[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
  readonly stop_grace_period?: string;
  readonly deploy?: {
    readonly replicas?: number;
    readonly resources: { readonly limits: { readonly memory: string } };
  };
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
  readonly secrets?: Readonly<Record<string, { readonly file?: string; readonly environment?: string }>>;
}

const infra = join(import.meta.dirname, "..", "..", "..");
const names = ["compose.yaml", "compose.production.yaml"] as const;
const textOf = (name: string): string => readFileSync(join(infra, name), "utf8");
const read = (name: string): ComposeFile => parse(textOf(name), { merge: true });
const files = names.map((name) => [name, read(name)] as const);
const servers = read("compose.yaml");
const production = read("compose.production.yaml");
const services = { ...servers.services, ...production.services };

// It names its meta schema in a form that Ajv does not know.
const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false });
const isCompose = ajv.compile(JSON.parse(textOf(join("schemas", "compose-spec.json"))));

test.each(files)("%s follows the schema of the Compose Specification", (_, file) => {
  isCompose(file);
  expect(isCompose.errors).toBeNull();
  expect(isCompose({ ...file, services: { x: { image: "x", ports: "8080" } } })).toBe(false);
});

test.each(names)("every variable of %s has a default, except one password, whose absence names the remedy", (name) => {
  const variables = textOf(name).match(/(?<!\$)\$\{[^}]*\}/g) ?? [];
  expect(variables.length).toBeGreaterThan(5);
  const required = variables.filter((variable) => !variable.includes(":-"));
  expect(required).toEqual(name === "compose.yaml" ? [expect.stringContaining("sh infra/make-secrets.sh")] : []);
  expect(variables.filter((variable) => variable.includes("PASSWORD"))).toEqual(required);
});

test.each(names)("docs/containers.md has the commands and the variables of %s", (name) => {
  const document = readFileSync(join(infra, "..", "docs", "containers.md"), "utf8");
  const commands = Array.from(
    textOf(name).matchAll(/^ *#.*?((?:docker compose -f|sh infra\/).*)$/gm),
    ([, line]) => line,
  );
  expect(commands).toHaveLength(name === "compose.yaml" ? 2 : 6);
  for (const command of commands) expect(document).toContain(command);
  const variables = Array.from(textOf(name).matchAll(/(?<!\$)\$\{(\w+):-/g), ([, variable]) => variable);
  // `pnpm dev` sets it.
  for (const variable of variables) if (variable !== "TALLY_RESTART") expect(document).toContain(`\`${variable}`);
});

test("the services of compose.yaml are those of `pnpm dev`, and ports are published on loopback only", () => {
  expect(Object.keys(servers.services)).toEqual(["rabbitmq", "database-primary", "database-replica", "redis"]);
  const ports = Object.values(services).flatMap((service) => service.ports ?? []);
  expect(ports).toHaveLength(7);
  for (const port of ports)
    expect(port).toMatch(/^(127\.0\.0\.1|\$\{TALLY_ADDRESS:-127\.0\.0\.1\}):\$\{\w+:-\d+\}:\d+$/);
});

test("every service, secret and volume that a service names exists", () => {
  const known = {
    volumes: { ...servers.volumes, ...production.volumes },
    secrets: { ...servers.secrets, ...production.secrets },
  };
  for (const { depends_on = {}, secrets = [], volumes = [] } of Object.values(services)) {
    const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
    for (const name of needed) expect(services).toHaveProperty([String(name)]);
    for (const { source } of secrets) expect(known.secrets).toHaveProperty([source]);
    for (const [from = ""] of volumes.map((volume) => volume.split(":"))) {
      if (from.startsWith("./")) expect(statSync(join(infra, from)).mtimeMs).toBeGreaterThan(0);
      else expect(known.volumes).toHaveProperty([from]);
    }
  }
});

test("servers and apps start again after they end, and have a limit of memory; `migrate` tries ten times, a command once", () => {
  // Process 1 ignores a signal that it does not handle: without an init, Ctrl-C ends no command.
  for (const name of ["migrate", "tally"]) expect(production.services[name]?.init).toBe(true);
  const policies = Object.entries(services).map(([name, { restart }]) => [name, restart]);
  expect(Object.fromEntries(policies)).toEqual({
    ...Object.fromEntries(Object.keys(servers.services).map((name) => [name, "${TALLY_RESTART:-unless-stopped}"])),
    ...Object.fromEntries(Object.keys(production.services).map((name) => [name, "unless-stopped"])),
    migrate: "on-failure:10",
    tally: undefined,
  });
  for (const [name, { deploy }] of Object.entries(services)) {
    expect([name, deploy?.resources.limits.memory]).toEqual([
      name,
      expect.stringMatching(/^(\d+[MG]|\$\{TALLY_\w+_MEMORY:-\d+G\})$/),
    ]);
  }
});

test("each service of production has an image with a version; tally's own can write no file", () => {
  for (const [name, service] of Object.entries(production.services)) {
    expect([name, service.image]).toEqual([name, expect.stringMatching(/:[^:]*\d|TALLY_VERSION/)]);
    if (service.build === undefined && name !== "balancer") continue;
    expect([name, service.read_only, service.cap_drop]).toEqual([name, true, ["ALL"]]);
  }
  const built = Object.entries(production.services).flatMap(([name, { build }]) =>
    build ? [`${name} ${build.args.APP}`] : [],
  );
  expect(built).toEqual(["gateway gateway", "writer writer", "ranker ranker", "migrate admin", "tally admin"]);
});

test("two gateways and two writers run, and more can: none has a name or a port of the host", () => {
  const { gateway, writer } = production.services;
  expect([gateway?.deploy?.replicas, writer?.deploy?.replicas]).toEqual([2, 2]);
  for (const { container_name, ports, deploy } of Object.values(production.services))
    if (deploy?.replicas !== undefined) expect([container_name, ports]).toEqual([undefined, undefined]);
});

test("the servers read each password from a file that they have", () => {
  for (const [name, { environment = {}, secrets = [] }] of Object.entries(servers.services)) {
    const named = Object.entries(environment).flatMap(([variable, value]) =>
      variable.endsWith("_FILE") ? [value] : [],
    );
    const given = secrets.map(({ target }) => `/run/secrets/${target}`);
    expect([name, new Set(named)]).toEqual([name, new Set(given)]);
  }
});

const bash = (args: readonly string[], env: NodeJS.ProcessEnv): string =>
  execFileSync("bash", args, { env: { PATH: process.env["PATH"], ...env }, stdio: "pipe", encoding: "utf8" });
const fill = (template: string, words: NodeJS.ProcessEnv): string =>
  bash([join(infra, "fill-template.sh"), template], words);

test("fill-template.sh takes a word from its file, and from its variable otherwise", async () => {
  const folder = await temporaryDirectory();
  const [template, secret] = [join(folder, "template"), join(folder, "secret")];
  writeFileSync(template, "{{gateway}} {{namespace}}");
  writeFileSync(secret, "f00d\n");
  expect(fill(template, { FILL_GATEWAY_FILE: secret, FILL_NAMESPACE: "tally" })).toBe("f00d tally\n");
  expect(fill(template, { FILL_GATEWAY: "beef", FILL_NAMESPACE: "tally" })).toBe("beef tally\n");
  const absent = { FILL_GATEWAY_FILE: join(folder, "absent"), FILL_NAMESPACE: "tally" };
  expect(() => fill(template, absent)).toThrow("absent: No such file");
});

const values = {
  admin: "a-1",
  gateway: "g1",
  writer: "w1",
  ranker: "r1",
  maintenance: "m1",
  replication: "p1",
  namespace: "tally",
  database: "tally_x",
  databases: "tally\\_x%",
  from: "%",
  lag: "REPLICATION CLIENT",
};
const words = Object.fromEntries(Object.entries(values).map(([word, value]) => [`FILL_${word.toUpperCase()}`, value]));

test.each(["redis/users.conf", "mysql/accounts.sql", "rabbitmq/definitions.json"])(
  "containers and launcher fill %s in the same way",
  async (template) => {
    expect(fill(join(infra, template), words)).toBe(await filledTemplate(template, values));
  },
);

test.each(["a'b", 'a"b', "a{{b}}", "a\nb", ""])(
  "a password with characters that a file could misread is rejected: %j",
  (admin) => {
    const given = { ...words, FILL_ADMIN: admin };
    expect(() => fill(join(infra, "mysql", "accounts.sql"), given)).toThrow(/FILL_ADMIN: .*use letters, digits/);
  },
);

test.each([
  // The file of version 2 or 1 of cgroups; "max" is no limit.
  ["memory.max", "2147483650", "1503238555"],
  ["memory/memory.limit_in_bytes", "1000", "700"],
  ["memory.max", "max", "0"],
])("redis/start.sh gives Redis seven tenths of the memory that %s allows: %s", async (file, limit, maxmemory) => {
  const folder = await temporaryDirectory();
  mkdirSync(join(folder, "memory"));
  writeFileSync(join(folder, file), `${limit}\n`);
  // Prints what the image's entrypoint would start.
  for (const [name, line] of Object.entries({ chown: "", "docker-entrypoint.sh": 'echo "$*"' }))
    writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const script = readFileSync(join(infra, "redis", "start.sh"), "utf8")
    .replaceAll("/tally/", `${infra}/`)
    .replaceAll("/sys/fs/cgroup/", `${folder}/`)
    .replaceAll("/tmp/users.conf", join(folder, "users.conf"));
  const output = bash(["-c", script], { PATH: `${folder}:${process.env["PATH"]}`, ...words });
  expect(output).toContain(`valkey-server ${folder}/users.conf `);
  expect(output).toContain(`--maxmemory ${maxmemory} --maxmemory-policy noeviction`);
  expect(readFileSync(join(folder, "users.conf"), "utf8")).toContain("user tally on >a-1");
});

test("a gateway has time to drain and to stop before it is killed", () => {
  const { environment = {}, stop_grace_period = "" } = production.services["gateway"] ?? {};
  const stopWithinMs = systemSettings.stopWithinMs.default ?? Number.NaN;
  expect(Number(environment["DRAIN_MS"]) + stopWithinMs).toBeLessThan(
    1000 * Number(/^(\d+)s$/.exec(stop_grace_period)?.[1]),
  );
});

test("make-secrets.sh writes every secret once, as the addresses that the apps read from files", async () => {
  const folder = await temporaryDirectory();
  cpSync(join(infra, "make-secrets.sh"), join(folder, "make-secrets.sh"));
  const make = (env = process.env) => execFileSync("sh", [join(folder, "make-secrets.sh")], { stdio: "pipe", env });
  // A file with a variable of docs/containers.md, and with a password that Compose calls not set.
  const own = "TALLY_PORT=8081\nTALLY_DATABASE_PASSWORD=";
  writeFileSync(join(folder, ".env"), own);
  // Without random numbers it fails, and leaves no empty passwords that the next run would keep.
  writeFileSync(join(folder, "openssl"), "#!/bin/sh\nexit 127\n", { mode: 0o755 });
  expect(() => make({ ...process.env, PATH: `${folder}:${process.env["PATH"]}` })).toThrow();
  make();
  const environment = readFileSync(join(folder, ".env"), "utf8");
  expect(environment.startsWith(`${own}\n`)).toBe(true);
  const passwords = Array.from(environment.matchAll(/^(\w+)=([0-9a-f]{32})$/gm), ([, name]) => name);
  const required = new Set(Object.values(servers.secrets ?? {}).map((secret) => secret.environment));
  expect(new Set(passwords)).toEqual(required);
  expect(statSync(join(folder, ".env")).mode & 0o777).toBe(0o600);

  const secrets = join(folder, "secrets");
  expect(statSync(secrets).mode & 0o777).toBe(0o700);
  const declared = Object.entries(production.secrets ?? {});
  expect(declared.map(([name, { file }]) => [name, file])).toEqual(
    declared.map(([name]) => [name, `./secrets/${name}`]),
  );
  expect(readdirSync(secrets).toSorted()).toEqual(declared.map(([name]) => name).toSorted());
  for (const [name, service] of Object.entries(production.services)) {
    if (service.secrets === undefined || name === "migrate") continue;
    const inContainer = new Map(
      service.secrets.map(({ source, target }) => [`/run/secrets/${target}`, join(secrets, source)]),
    );
    const given = Object.entries(service.environment ?? {}).map(([variable, value]) => [
      variable,
      inContainer.get(value) ?? value.replace(/^\$\{\w+:-(.*)\}$/, "$1"),
    ]);
    const config = readConfig(systemSettings, Object.fromEntries(given));
    const account = name === "tally" ? "tally_maintenance" : `tally_${name}`;
    const urls = [config.amqpUrl, config.databaseWriteUrl, config.databaseReadUrl, config.redisUrl];
    expect(urls.map((url) => new URL(url)).map(({ username, hostname }) => `${username}@${hostname}`)).toEqual(
      ["rabbitmq", "database-primary", "database-replica", "redis"].map((server) => `${account}@${server}`),
    );
  }
  // A second run keeps the passwords.
  const before = readFileSync(join(secrets, "gateway-amqp-url"), "utf8");
  make();
  expect(readFileSync(join(secrets, "gateway-amqp-url"), "utf8")).toBe(before);
});

test("the launcher sets each password of compose.yaml", async () => {
  const required = new Set(Object.values(servers.secrets ?? {}).map(({ environment }) => environment));
  expect(required.size).toBe(9);
  const directory = await temporaryDirectory();
  const set = passwordVariables(await keptPasswords(directory));
  expect(new Set(Object.keys(set))).toEqual(required);
  // A later start writes nothing: a kill meanwhile would leave an empty file.
  const written = () => statSync(join(directory, "passwords.json"), { bigint: true });
  const { ino, mtimeNs } = written();
  expect(passwordVariables(await keptPasswords(directory))).toEqual(set);
  expect(written()).toMatchObject({ ino, mtimeNs });
});

test("RabbitMQ in a container stops taking messages at the same free disk as the launcher's", () => {
  const [limit = "none"] = /disk_free_limit\S* = \w+/.exec(textOf("local/src/servers/rabbitmq.ts")) ?? [];
  expect(textOf("rabbitmq/start.sh")).toContain(limit);
});

test("the images start the apps with the launcher's heap flags", () => {
  // A container has its own limit: the old generation gets a share of it.
  const flags = [...heapFlags.slice(0, -1), "--max-old-space-size-percentage=50"].map((flag) => `"${flag}"`).join(", ");
  expect(heapFlags.at(-1)).toMatch(/^--max-old-space-size=/);
  expect(textOf("Dockerfile")).toContain(`ENTRYPOINT ["node", ${flags}, "src/main.ts"]`);
});

test("the Dockerfile names no processor, and Node, pnpm and turbo have the versions of the workspace", () => {
  const text = textOf("Dockerfile");
  expect(text.replaceAll(/^#.*$/gm, "")).not.toMatch(/amd64|arm64|x64|x86|aarch64|--platform/);
  const versions = [
    ["NODE_IMAGE=node:", /^nodeVersion: (\S+)$/m, "../pnpm-workspace.yaml", "-slim"],
    ["PNPM_VERSION=", /"packageManager": "pnpm@(\S+)"/, "../package.json", ""],
    ["TURBO_VERSION=", /^ {4}turbo:\n.*\n +version: (\S+)$/m, "../pnpm-lock.yaml", ""],
  ] as const;
  for (const [argument, version, file, end] of versions)
    expect(text).toContain(`ARG ${argument}${version.exec(textOf(file))?.[1]}${end}\n`);
});
