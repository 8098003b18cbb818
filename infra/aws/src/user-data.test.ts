import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { brokerUserData } from "./broker/broker-user-data.ts";
import { accessString } from "./data/add-cache.ts";
import { documentedSettings } from "./documented-settings.test-kit.ts";

const read = (name: string): string => readFileSync(new URL(`../../ec2/${name}`, import.meta.url), "utf8");
const users = readFileSync(new URL("../../redis/users.conf", import.meta.url), "utf8");

/** EC2's limit. */
const bytesMax = 16 * 1024;

/** What bash says of a script that it reads and does not run. */
const syntaxErrors = (script: string): string => spawnSync("bash", ["-n"], { input: script, encoding: "utf8" }).stderr;

test.each(["gateway", "writer", "ranker"] as const)(
  "the user data of a %s is a script with settings that it has",
  (app) => {
    const script = read(`${app}.sh`) + read("run-app.sh");
    expect(syntaxErrors(script)).toBe("");
    expect(script.length).toBeLessThan(bytesMax);
    const [, settings = ""] = /<<'END' \|\| true\n(.*?)\nEND\n/s.exec(script) ?? [];
    const names = settings.split("\n").map((line) => line.split("=")[0]);
    expect(names).toContain("NAMESPACE");
    const setting = (name: string) => Number(new RegExp(`^${name}=(\\d+)$`, "m").exec(settings)?.[1] ?? 0);
    const seconds = (option: string) => Number(new RegExp(`${option}(\\d+)`).exec(script)?.[1] ?? expect.fail(option));
    // The app ends by itself before Docker kills it, and Docker before systemd does.
    expect(setting("STOP_WITHIN_MS")).toBeGreaterThan(0);
    expect(seconds("docker stop --time ")).toBeGreaterThan((setting("DRAIN_MS") + setting("STOP_WITHIN_MS")) / 1000);
    expect(seconds("TimeoutStopSec=")).toBeGreaterThan(seconds("docker stop --time "));
    // Longer than two checks of 5 s (docs/deploy-aws.md).
    if (app === "gateway") expect(setting("DRAIN_MS")).toBeGreaterThan(2 * 5000);
    const known = new Set(documentedSettings()[app]?.map(({ variable }) => variable));
    expect(names.filter((name) => name === undefined || !known.has(name))).toEqual([]);
  },
);

test.each(["gateway", "rabbitmq"])(
  "user data of a %s whose values are not replaced changes nothing and ends with status 1",
  (name) => {
    const script = read(`${name}.sh`) + read(name === "rabbitmq" ? "run-rabbitmq.sh" : "run-app.sh");
    // With an empty PATH nothing but bash itself can run.
    const { status, stderr } = spawnSync("/bin/bash", [], { input: script, encoding: "utf8", env: { PATH: "" } });
    expect(stderr).toBe(`replace the values in angle brackets in ${name}.sh\n`);
    expect(status).toBe(1);
  },
);

test("the user data of a RabbitMQ node of the stack sets what the one for hand-made instances sets", () => {
  const made = brokerUserData({ number: 2, addresses: ["10.0.0.4"], region: "r", secretArn: "s", device: "/dev/sdf" });
  expect(syntaxErrors(made)).toBe("");
  expect(made.length).toBeLessThan(bytesMax);
  const variables = (text: string) => [...text.matchAll(/^([A-Z]+)=/gm)].map(([, name]) => name);
  const [head = ""] = made.split("read -r -d");
  expect(variables(head)).toEqual(variables(read("rabbitmq.sh")));
});

test("the rights of a user in ElastiCache are those of users.conf, without name, password and placeholders", () => {
  const rights = accessString(users, "tally_ranker");
  expect(rights).toMatch(/^on ~tally:\{\* resetchannels -@all /);
  const gateway = accessString(users, "tally_gateway");
  expect(gateway).not.toMatch(/>|\{\{|tally_gateway/);
  expect(accessString(users, "tally")).toBe("on ~* &* +@all");
  expect(() => accessString(users, "other")).toThrow('expected a line "user other …"');
});
