import { idsOf, type Acknowledgements } from "./acknowledgements.ts";
import { objectOf, type Answer } from "./answers.ts";
import { HostileConnection } from "./connection.ts";
import { get, type ExpectedAnswer, type HostileCase } from "./hostile-case.ts";

const hangAfterMs = 15_000;

/**
 * Runs one case on a connection of its own. Returns every difference from what is expected, a sentence for each, and adds what was
 * acknowledged to `acknowledgements`.
 */
export async function runCase(
  url: string,
  one: HostileCase,
  n: number,
  acknowledgements: Acknowledgements,
): Promise<readonly string[]> {
  const connection = new HostileConnection(url, hangAfterMs);
  try {
    const early: Answer[] = [];
    for (const part of [one.send(n)].flat()) {
      await connection.write(part);
      if (one.inTurn === true) early.push(...(await connection.answers(1)));
    }
    if (one.halfCloses === true) connection.halfClose();
    const methodOf = (nth: number): string => one.expect[early.length + nth]?.method ?? "GET";
    const answers = [...early, ...(await connection.answers(one.expect.length - early.length, methodOf))];
    const contents = one.stores?.(n) ?? [];
    const ids = answers.flatMap(idsOf);
    for (const [index, { id }] of ids.entries()) {
      acknowledgements.add({ id, by: one.name, content: contents[index] });
    }
    return [
      ...answers.flatMap((answer, index) => differencesOf(answer, one.expect[index])),
      ...(answers.length < one.expect.length ? [`${answers.length} of ${one.expect.length} responses came`] : []),
      ...(ids.length === contents.length ? [] : [`${ids.length} of ${contents.length} events are acknowledged`]),
      ...(answers.length < one.expect.length ? [] : await differencesAtEnd(connection, one, answers.at(-1))),
    ].map((difference) => `${one.name}: ${difference}`);
  } catch (error) {
    return [`${one.name}: ${String(error)}`];
  } finally {
    connection.destroy();
  }
}

/** What is wrong with any error, whatever was asked: an empty or unhelpful body, or one that shows the code. */
export function errorFaults(answer: Answer): readonly string[] {
  const text = answer.bytes.toString();
  if (answer.status < 400) return [];
  const fields = objectOf(answer);
  const sentence = fields?.["message"] ?? fields?.["msg"];
  const isBulk = Array.isArray(fields?.["results"]);
  return [
    ...(answer.status >= 500 ? [`status ${answer.status}: ${text.slice(0, 200)}`] : []),
    ...(isBulk || (typeof sentence === "string" && sentence.length >= 10)
      ? []
      : [`an error ${answer.status} without a sentence: ${JSON.stringify(text.slice(0, 100))}`]),
    ...(/\n\s+at |node_modules|\.[jt]s:\d+/.test(String(sentence)) ? [`a stack trace: ${text.slice(0, 200)}`] : []),
    ...(answer.headers.get("content-type")?.startsWith("application/json") === true
      ? []
      : [`an error of type ${answer.headers.get("content-type") ?? "none"}`]),
  ];
}

function differencesOf(answer: Answer, expected: ExpectedAnswer | undefined): readonly string[] {
  if (expected === undefined) return [`a response that was not expected: ${summary(answer)}`];
  const statuses: readonly number[] = [expected.status].flat();
  if (!statuses.includes(answer.status)) return [`expected status ${statuses.join(" or ")}, got ${summary(answer)}`];
  return [
    ...(expected.method === "HEAD" ? [] : [...errorFaults(answer), ...bodyDifferences(answer, expected)]),
    ...Object.entries(expected.headers ?? {})
      .filter(([name, pattern]) => !pattern.test(answer.headers.get(name) ?? ""))
      .map(([name, pattern]) => `expected ${name} like ${String(pattern)}, got ${answer.headers.get(name) ?? "none"}`),
  ];
}

function bodyDifferences(answer: Answer, { error, body }: ExpectedAnswer): readonly string[] {
  const text = answer.bytes.toString();
  const wanted = error?.says ?? body;
  if (wanted === undefined) return [];
  const fields = objectOf(answer);
  const got = error === undefined ? text : fields?.[error.key];
  const isOnly = error === undefined || Object.keys(fields ?? {}).length === 1;
  const fits = typeof got === "string" && (typeof wanted === "string" ? got === wanted : wanted.test(got));
  return fits && isOnly ? [] : [`expected a body like ${String(wanted)}, got ${summary(answer)}`];
}

/** A connection that says "close" must close, any other must serve one more request; neither may carry a response too many. */
async function differencesAtEnd(
  connection: HostileConnection,
  { halfCloses }: HostileCase,
  last: Answer | undefined,
): Promise<readonly string[]> {
  const closes = halfCloses === true || last?.headers.get("connection") === "close";
  if (!closes) {
    await connection.write(get("/health/live", ["Connection: close"]));
    const [answer] = await connection.answers(1);
    if (answer?.status !== 200) {
      return [`the connection does not serve another request: ${answer === undefined ? "closed" : summary(answer)}`];
    }
  }
  const rest = await connection.end();
  return rest.length === 0
    ? []
    : [`bytes that no request asked for: ${JSON.stringify(rest.toString("latin1", 0, 200))}`];
}

const summary = ({ status, bytes }: Answer): string => `${status} ${JSON.stringify(bytes.toString("utf8", 0, 200))}`;
