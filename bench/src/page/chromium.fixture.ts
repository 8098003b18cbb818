import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { onTestFinished } from "vitest";

const folders = ["/usr/bin", "/usr/local/bin", "/snap/bin"];
const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Where the machine has a browser; undefined: it has none. */
export const chromium = folders
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

export interface Page {
  /** The value of an expression in the page, which must be plain data. */
  evaluate(expression: string): Promise<unknown>;
  /** As on paper of a width. */
  print(width: number): Promise<void>;
}

/** What is read of the answers to the calls below. */
interface Answered {
  readonly targetId?: string;
  readonly sessionId?: string;
  readonly result?: { readonly value?: unknown };
  readonly exceptionDetails?: object;
}

interface Message {
  readonly id?: number;
  readonly result?: Answered;
  readonly error?: { readonly message: string };
}

/** Opens a page, by the protocol of the browser's developer tools over two pipes. It is closed when the test is finished. */
export async function openPage(url: string): Promise<Page> {
  const call = await startBrowser();
  const { targetId } = await call("Target.createTarget", { url });
  const { sessionId } = await call("Target.attachToTarget", { targetId, flatten: true });
  return {
    async evaluate(expression) {
      const asked = { expression, returnByValue: true };
      const { result, exceptionDetails } = await call("Runtime.evaluate", asked, sessionId);
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
      return result?.value;
    },
    async print(width) {
      await call("Emulation.setEmulatedMedia", { media: "print" }, sessionId);
      const metrics = { width, height: 1000, deviceScaleFactor: 1, mobile: false };
      await call("Emulation.setDeviceMetricsOverride", metrics, sessionId);
    },
  };
}

async function startBrowser() {
  const profile = await mkdtemp(join(tmpdir(), "tally-chromium-"));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe"];
  const browser = spawn(chromium ?? "", [...flags, `--user-data-dir=${profile}`, "about:blank"], {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  const ended = new Promise((resolve) => browser.once("exit", resolve));
  onTestFinished(async () => {
    browser.kill("SIGKILL");
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  const [, , , input, output] = browser.stdio;
  if (!(input instanceof Writable) || !(output instanceof Readable)) throw new TypeError("there are two pipes");
  const waiting = new Map<number, PromiseWithResolvers<Answered>>();
  let rest = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    const messages = (rest + text).split("\0");
    rest = messages.pop() ?? "";
    for (const message of messages) {
      const { id = 0, result = {}, error }: Message = JSON.parse(message);
      if (error === undefined) waiting.get(id)?.resolve(result);
      else waiting.get(id)?.reject(new Error(error.message));
    }
  });
  return (method: string, params: object, sessionId?: string): Promise<Answered> => {
    const id = waiting.size + 1;
    const answer = Promise.withResolvers<Answered>();
    waiting.set(id, answer);
    input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return answer.promise;
  };
}
