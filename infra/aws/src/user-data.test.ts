import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { documentedSettings } from "./documented-settings.test-kit.ts";

const read = (name: string): string => readFileSync(new URL(`../../ec2/${name}`, import.meta.url), "utf8");

const bytesMax = 16 * 1024;

test.each(["gateway", "writer", "ranker"] as const)(
  "the user data of a %s has settings that it knows and that are not their defaults",
  (app) => {
    const script = read("run-app.sh");
    const input = `${read("app.sh").replaceAll("<app>", app)}\necho "$SETTINGS"`;
    const { stdout } = spawnSync("/bin/bash", [], { input, encoding: "utf8" });
    const given = Array.from(stdout.matchAll(/^(\w+)=(.*)$/gm), ([, name = "", value = ""]) => ({ name, value }));
    const preset = (name: string) => documentedSettings()[app]?.find(({ variable }) => variable === name)?.preset;
    const setting = (name: string) => Number(given.find((one) => one.name === name)?.value ?? preset(name) ?? 0);
    const seconds = (option: string) => Number(new RegExp(`${option}(\\d+)`).exec(script)?.[1] ?? expect.fail(option));
    // The app ends by itself before Docker kills it, and Docker before systemd does.
    expect(setting("STOP_WITHIN_MS")).toBeGreaterThan(0);
    expect(seconds("docker stop --time ")).toBeGreaterThan((setting("DRAIN_MS") + setting("STOP_WITHIN_MS")) / 1000);
    expect(seconds("TimeoutStopSec=")).toBeGreaterThan(seconds("docker stop --time "));
    // Longer than two checks of 5 s (docs/deploy-ec2.md).
    if (app === "gateway") expect(setting("DRAIN_MS")).toBeGreaterThan(2 * 5000);
    expect(given.length).toBeGreaterThan(0);
    for (const { name, value } of given) expect([undefined, value]).not.toContain(preset(name));
  },
);

test.each(["app", "operator"])(
  "user data of an %s whose values are not replaced changes nothing and ends with status 1",
  (name) => {
    const script = read(`${name}.sh`) + read(`run-${name}.sh`);
    // With an empty PATH nothing but bash itself can run.
    const { status, stderr } = spawnSync("/bin/bash", [], { input: script, encoding: "utf8", env: { PATH: "" } });
    expect(stderr).toBe(`replace the values in angle brackets in ${name}.sh\n`);
    expect(status).toBe(1);
  },
);

test("an app takes a changed secret, and starts again while Secrets Manager and registry are down", () => {
  const folder = mkdtempSync(join(tmpdir(), "tally-user-data-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o755 });
  write("aws", "#!/bin/sh\ncat secret\n");
  write("jq", '#!/bin/sh\ncase "$*" in *keys*) echo REDIS_URL ;; *) cat ;; esac\n'); // the secret is the only value
  write("docker", '#!/bin/sh\ncase "$1" in image) [ -e image ] ;; pull) cp secret image ;; login) grep -q . ;; esac\n');
  write("chown", "#!/bin/sh\n");
  const [script = ""] = /^cat > \/usr\/local\/bin\/tally-prepare .*?^END\n/ms.exec(read("run-app.sh")) ?? [];
  const variables = "REGION=r SECRET=s IMAGE=1.dkr.ecr.r.amazonaws.com/tally/writer:1";
  const input = `${variables}\n${script.replaceAll(/\/run(?=\/tally)|\/usr\/local\/bin/g, folder)}bash tally-prepare`;
  const prepare = () => {
    const env = { PATH: `${folder}:${process.env["PATH"]}` };
    expect(spawnSync("/bin/bash", [], { input, cwd: folder, env })).toMatchObject({ status: 0 });
    return ["tally.files", "tally/REDIS_URL"].map((name) => readFileSync(join(folder, name), "utf8"));
  };
  write("secret", "first\n");
  expect(prepare()).toEqual(["REDIS_URL_FILE=/run/secrets/REDIS_URL\n", "first\n"]);
  write("secret", "second\n");
  expect(prepare()[1]).toBe("second\n");
  rmSync(join(folder, "secret"));
  expect(prepare()).toEqual(["REDIS_URL_FILE=/run/secrets/REDIS_URL\n", "second\n"]);
});

/** The user data that the commands of docs/deploy-ec2.md make, for an app or for the operator. */
function fromPage(app: string): string {
  const root = new URL("../../..", import.meta.url);
  const page = readFileSync(new URL("docs/deploy-ec2.md", root), "utf8");
  const functions = page.match(/^(here|values)\(\) .*$/gm) ?? [];
  const [operator, apps] = [...page.matchAll(/\{ values [^]*?\} > user-data\.sh$/gm)].map(([block]) => block);
  const variables = [
    "AWS_REGION=eu-west-1 REGISTRY=1.dkr.ecr.eu-west-1.amazonaws.com RELEASE=abc1234",
    "WRITE=w.rds AMQP=b-1.mq:5671 NETWORK=172.31.0.0/16",
    `app=${app}`,
  ];
  const block = (app === "operator" ? operator : apps)?.replace(" > user-data.sh", "") ?? expect.fail("no block");
  const { stdout, stderr } = spawnSync("bash", ["-c", [...variables, ...functions, block].join("\n")], {
    cwd: root,
    encoding: "utf8",
  });
  expect([functions.length, stderr]).toEqual([2, ""]);
  return stdout;
}

test.each(["gateway", "writer", "ranker", "operator"])(
  "the commands of docs/deploy-ec2.md replace each value in angle brackets of a %s, and make a script",
  (app) => {
    const script = fromPage(app);
    // bash reads it and does not run it.
    expect(spawnSync("bash", ["-n"], { input: script, encoding: "utf8" }).stderr).toBe("");
    expect(script.length).toBeLessThan(bytesMax);
    const own = read(app === "operator" ? "operator.sh" : "app.sh").match(/<[a-z][^>\n]*>/g) ?? [];
    expect(own.length).toBeGreaterThan(3);
    for (const placeholder of own) expect(script).not.toContain(placeholder);
    expect(script).toContain(`amazonaws.com/tally/${app === "operator" ? "admin" : app}:abc1234"`);
  },
);

test("the operator's `tally` gets the settings of commands that use a gateway from its caller", () => {
  const names = documentedSettings()["admin"]?.map(({ variable }) => variable) ?? [];
  const ofCaller = names.filter((name) => name.startsWith("TALLY_"));
  expect(ofCaller).toContain("TALLY_API_KEY");
  for (const name of ofCaller) expect(read("run-operator.sh")).toContain(` --env ${name} `);
});

test("the operator's instance gets the texts of the accounts as they are in the repository; an upgrade names each", () => {
  const script = `${fromPage("operator").split("# Second part")[0]}\nprintf '%s\\n' "$FILL_TEMPLATE" "$ACCOUNTS" "$DEFINITIONS" "$BROKER_ACCOUNTS"`;
  const files = [
    "../../fill-template.sh",
    "../../mysql/accounts.sql",
    "../../rabbitmq/definitions.json",
    "operate/create-broker-accounts.ts",
  ].map((file) => readFileSync(new URL(file, import.meta.url), "utf8").trimEnd());
  expect(spawnSync("bash", [], { input: script, encoding: "utf8" }).stdout).toBe(`${files.join("\n")}\n`);
  const [steps = "", upgrade] = read("../../docs/deploy-ec2.md").split("## Upgrade");
  const given = Array.from(steps.matchAll(/^ +here \w+ (\S+)$/gm), ([, file]) => file);
  expect(given).toHaveLength(files.length);
  for (const file of given) expect(upgrade).toContain(`\`${file}\``);
});
