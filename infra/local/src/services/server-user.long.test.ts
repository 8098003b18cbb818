import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Services, startServices } from "./start-services.ts";

const isRoot = process.getuid?.() === 0;
const environment = { PATH: process.env["PATH"] };

async function start(directory: string) {
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  const options = { directory, database: "tally_test", keepData: true, say, environment } as const;
  const services = await startServices({ ...options, docker: "never" });
  onTestFinished(() => services.stop());
  return { services, said };
}

const usersOf = ({ servers }: Services): ReadonlyMap<string, string> =>
  new Map(
    servers.map(({ name, pid }) => [
      name,
      execFileSync("ps", ["-o", "user:32=", "-p", String(pid)], { encoding: "utf8" }).trim(),
    ]),
  );

test.runIf(isRoot)(
  "root starts servers as their own users, as root where these cannot enter, and each start finds the data again",
  async () => {
    const parent = mkdtempSync(join(tmpdir(), "tally-users-"));
    onTestFinished(() => rmSync(parent, { recursive: true }));
    const directory = join(parent, "services");
    mkdirSync(directory);
    const names = ["rabbitmq", "database-primary", "database-replica", "redis"];

    chmodSync(parent, 0o700);
    const closed = await start(directory);
    expect(usersOf(closed.services)).toEqual(new Map(names.map((name) => [name, "root"])));
    for (const user of ["redis", "mysql", "rabbitmq"]) {
      expect(closed.said.join("\n")).toContain(`${user} runs as root: the user ${user} cannot enter ${directory}`);
    }
    await closed.services.operator?.sql("CREATE TABLE tally_test.kept (id INT)");
    await closed.services.stop();

    chmodSync(parent, 0o711);
    const open = await start(directory);
    expect(usersOf(open.services)).toEqual(
      new Map([
        ["rabbitmq", "rabbitmq"],
        ["database-primary", "mysql"],
        ["database-replica", "mysql"],
        ["redis", "redis"],
      ]),
    );
    expect(open.said.join("\n")).not.toContain("runs as root");
    expect(await open.services.operator?.sql("SHOW TABLES FROM tally_test")).toBe("kept");
    await open.services.operator?.redis("SAVE");
    expect(await open.services.operator?.rabbitmqctl("list_users")).toContain("tally_gateway");
    for (const secret of ["passwords.json", "database-primary.cnf", "redis.conf", "rabbitmq/definitions.json"]) {
      expect([secret, statSync(join(directory, secret)).mode & 0o077]).toEqual([secret, 0]);
    }
    await open.services.stop();

    chmodSync(parent, 0o700);
    const closedAgain = await start(directory);
    expect(await closedAgain.services.operator?.sql("SHOW TABLES FROM tally_test")).toBe("kept");
  },
  120_000,
);
