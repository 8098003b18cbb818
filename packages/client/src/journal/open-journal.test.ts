import { execFile } from "node:child_process";
import { appendFile, readFile, readdir, readlink, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../temporary-directory.test-kit.ts";
import type { Journal } from "./journal.ts";
import { openJournal } from "./open-journal.ts";

const newPath = async () => join(await temporaryDirectory(), "till", "sales.ndjson");

const textsOf = ({ left }: Journal): readonly string[] => left.map(({ text }) => text);

/** Opens the journal as the next process would. */
async function textsAfterRestart(path: string): Promise<readonly string[]> {
  const journal = await openJournal(path);
  await journal.close();
  return textsOf(journal);
}

async function openFiles(): Promise<readonly string[]> {
  const folder = "/proc/self/fd";
  // Without the one that has read the folder.
  return Promise.all((await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => "")));
}

test("what was appended and not settled is there after a restart, in its order", async () => {
  const path = await newPath();
  const first = await openJournal(path);
  const numbers = await Promise.all(
    ['{"a":1}', '{"a":2}', '{"a":3}', '{"a":"\\n€"}'].map((text) => first.append(text)),
  );
  await first.settle([numbers[0] ?? 0, numbers[2] ?? 0], []);
  await first.close();
  const second = await openJournal(path);
  expect(textsOf(second)).toEqual(['{"a":2}', '{"a":"\\n€"}']);
  const number = await second.append('{"a":5}');
  expect(numbers).not.toContain(number);
  await second.settle([numbers[1] ?? 0], []);
  await second.close();
  expect(await textsAfterRestart(path)).toEqual(['{"a":"\\n€"}', '{"a":5}']);
});

test("an append resolves when it is in the file", async () => {
  const path = await newPath();
  const journal = await openJournal(path);
  const inFile = async (text: string): Promise<boolean> => {
    await journal.append(text);
    return (await readFile(path, "utf8")).includes(text);
  };
  const all = await Promise.all(Array.from({ length: 200 }, (_, n) => inFile(`{"n":${n}}`)));
  expect(all).toEqual(all.map(() => true));
  await journal.close();
});

test("a journal that another process has taken over is written no more", async () => {
  const path = await newPath();
  const journal = await openJournal(path);
  const number = await journal.append("{}");
  await rm(`${path}.lock`);
  await writeFile(`${path}.rejected`, '{"at":'); // A crash has cut this line.
  await expect(journal.append("{}")).rejects.toMatchObject({ code: "JOURNAL_FAILED" });
  await expect(journal.settle([number], [])).rejects.toMatchObject({ code: "JOURNAL_FAILED" });
  const rejected = [{ number, text: "{}", status: 400, error: "x" }];
  await expect(journal.settle([], rejected)).rejects.toMatchObject({ code: "JOURNAL_FAILED" });
  await journal.close();
  if (process.platform === "linux") expect(await openFiles()).not.toContain(`${path}.rejected`);
  expect(await textsAfterRestart(path)).toEqual(["{}"]);
});

test("the file stays bounded although one purchase waits all the time", async () => {
  const path = await newPath();
  const journal = await openJournal(path);
  await journal.append('{"stays":true}');
  const text = JSON.stringify({ padding: "x".repeat(20_000) });
  let largest = 0;
  for (let round = 0; round < 30; round++) {
    const numbers = await Promise.all(Array.from({ length: 10 }, () => journal.append(text)));
    await journal.settle(numbers, []);
    largest = Math.max(largest, (await stat(path)).size);
  }
  // 6 MB went through it.
  expect(largest).toBeLessThan(1.5 * 2 ** 20);
  const last = await journal.append('{"last":true}');
  expect(last).toBe(302);
  await journal.close();
  expect(await textsAfterRestart(path)).toEqual(['{"stays":true}', '{"last":true}']);
});

test("a line whose write did not end is dropped, and the next one is whole", async () => {
  const path = await newPath();
  const first = await openJournal(path);
  await first.append('{"a":1}');
  await first.close();
  await appendFile(path, '{"number":2,"purchase":{"a":"€'.slice(0, -1));
  const second = await openJournal(path);
  expect(textsOf(second)).toEqual(['{"a":1}']);
  await second.append('{"a":3}');
  await second.close();
  expect(await textsAfterRestart(path)).toEqual(['{"a":1}', '{"a":3}']);
});

test.each(["no JSON", "7", "{}", '{"number":1}', '{"number":"1","purchase":{}}', '{"settled":["a"]}', ""])(
  "a line %j that the journal has not written is an error, and nothing is changed",
  async (line) => {
    const path = await newPath();
    await (await openJournal(path)).close();
    const content = `{"number":1,"purchase":{}}\n${line}\n{"number":2,"purchase":{}}\n`;
    await writeFile(path, content);
    await expect(openJournal(path)).rejects.toMatchObject({
      code: "JOURNAL_DAMAGED",
      message: `the journal has a line that this package has not written: ${path}, line 2`,
    });
    expect(await readFile(path, "utf8")).toBe(content);
  },
);

test("rejected purchases are kept in a separate file, with the reason", async () => {
  const path = await newPath();
  const journal = await openJournal(path);
  const [first, second] = await Promise.all([journal.append('{"a":1}'), journal.append('{"a":2}')]);
  await journal.settle([], [{ number: first, text: '{"a":1}', status: 400, error: 'storeID: expected "x"' }]);
  await appendFile(`${path}.rejected`, '{"at":'); // A crash has cut this line.
  await journal.settle([], [{ number: second, text: '{"a":2}', status: 422, error: "key" }]);
  await journal.close();
  const lines = (await readFile(`${path}.rejected`, "utf8")).trimEnd().split("\n");
  expect(lines.splice(1, 1)).toEqual(['{"at":']);
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    { at: expect.stringMatching(/Z$/), status: 400, error: 'storeID: expected "x"', purchase: { a: 1 } },
    { at: expect.stringMatching(/Z$/), status: 422, error: "key", purchase: { a: 2 } },
  ]);
  expect(await textsAfterRestart(path)).toEqual([]);
});

test("a rejected purchase that cannot be kept elsewhere stays in the journal", async () => {
  const path = await newPath();
  const journal = await openJournal(path);
  const [first, second] = await Promise.all([journal.append('{"a":1}'), journal.append('{"a":2}')]);
  // A name that cannot be opened for writing, also by root.
  await (await openJournal(join(`${path}.rejected`, "directory"))).close();
  const rejected = [{ number: first, text: '{"a":1}', status: 400, error: "x" }];
  await expect(journal.settle([second], rejected)).rejects.toMatchObject({ code: "JOURNAL_FAILED" });
  const third = await journal.append('{"a":3}');
  await journal.settle([third], []);
  await journal.close();
  expect(await textsAfterRestart(path)).toEqual(['{"a":1}']);
});

test.each([
  ["purchase", "", "append(JSON.stringify({ padding }))", 12, 13],
  ["rejected purchase", ".rejected", "settle([], [{ number: 1, text: '{}', status: 400, error: padding }])", 11, 0],
])("a %s for which the disk has no space leaves nothing in its file", async (_, suffix, call, taken, waiting) => {
  const path = await newPath();
  const program = `
    import { openJournal } from ${JSON.stringify(new URL("open-journal.ts", import.meta.url).href)};
    const journal = await openJournal(process.argv[1]);
    const results = [];
    for (const padding of [...Array(20).fill("x".repeat(290)), ""])
      results.push(await journal.${call}.then(() => "taken", (error) => error.code));
    console.log(JSON.stringify(results));`;
  // A file of at most 4 KiB: the write that reaches it writes a part.
  const shell = 'ulimit -f 8 && exec "$0" --input-type=module --eval "$1" "$2"';
  const { stdout } = await promisify(execFile)("sh", ["-c", shell, process.execPath, program, path]);
  const results: unknown = JSON.parse(stdout);
  expect(results).toEqual([...Array(taken).fill("taken"), ...Array(20 - taken).fill("JOURNAL_FAILED"), "taken"]);
  const lines = (await readFile(`${path}${suffix}`, "utf8")).trimEnd().split("\n");
  expect(lines.map((line): unknown => JSON.parse(line))).toHaveLength(taken + 1);
  expect(await textsAfterRestart(path)).toHaveLength(waiting);
});

test("one process has a journal at a time", async () => {
  const path = await newPath();
  const journal = await openJournal(path);
  await expect(openJournal(path)).rejects.toMatchObject({
    code: "JOURNAL_IN_USE",
    message: `another process uses the journal: process ${process.pid} holds ${path}.lock`,
  });
  await journal.close();
  await expect(stat(`${path}.lock`)).rejects.toThrow("ENOENT");
});
