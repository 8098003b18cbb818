import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { freePorts } from "./free-ports.ts";

// Tests of another checkout claim the same ports: they wait for the end of this process.
await vi.waitFor(() => once(createServer().listen(11_999, "127.0.0.1").unref(), "listening"), 60_000);

/** Asks for ports in another process, which lives until the test ends. */
async function portsOfProcess(count: number, range: readonly [number, number]): Promise<readonly number[]> {
  const asking = `
    import { freePorts } from "${join(import.meta.dirname, "free-ports.ts")}";
    console.log(JSON.stringify(await freePorts(${count}, ${JSON.stringify(range)})));
    process.stdin.resume();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", asking], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  return JSON.parse(String(line));
}

test("processes at the same time get different ports, although nothing listens on them yet", async () => {
  // The range has six blocks. By chance alone, six processes would seldom get different ones.
  const range = [12_000, 12_600] as const;
  const ports = (await Promise.all(Array.from({ length: 6 }, () => portsOfProcess(20, range)))).flat();
  expect(new Set(ports).size).toBe(6 * 20);
  for (const port of ports) expect(port).toBeOneOf(Array.from({ length: 600 }, (_, index) => 12_000 + index));
  await expect(freePorts(1, range)).rejects.toThrow("other processes have claimed all ports from 12000 to 12599");
});

test("a port in use is left out, and the others come again after the last", async () => {
  const range = [13_000, 13_100] as const;
  const all = await freePorts(99, range);
  expect(new Set(all).size).toBe(99);
  const [first = 0, second = 0] = all;
  const server = createServer().listen(first, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  expect(await freePorts(1, range)).toEqual([second]);
  await expect(freePorts(99, range)).rejects.toThrow("fewer than 99 of the ports from 13000 on are free");
});
