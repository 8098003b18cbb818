import { isIP } from "node:net";
import { reasonOf } from "../failures/failures.ts";
import { tlsOf } from "./database-url.ts";

export type SettingValue = string | number | readonly string[];

/** One environment variable: plain data, so that documents can be generated from it. */
export interface Setting<Value extends SettingValue = SettingValue> {
  readonly variable: string;
  readonly expected: string;
  /** Absent: the variable must be set. */
  readonly default: Value | undefined;
  readonly description: string;
  /** The variable with the path of a file that contains the value. Absent: the value is no secret. */
  readonly fileVariable?: string;
  readonly read: (text: string) => Reading<Value>;
}

/** The value of a text, or what to print instead of a wrong text: never a secret. */
type Reading<Value> = { readonly value: Value } | { readonly got: string };

interface Common<Value> {
  readonly default?: Value;
}

interface UrlOptions extends Common<string> {
  /** Each with its colon. */
  readonly protocols: readonly [string, ...string[]];
}

/** A function that makes settings of one kind; `of` returns what the kind decides. */
function kind<Value extends SettingValue, Options extends Common<Value> = Common<Value>>(
  of: (options: Options, variable: string) => Pick<Setting<Value>, "expected" | "read" | "fileVariable">,
) {
  return (variable: string, description: string, options: Options): Setting<Value> => {
    return { variable, description, default: options.default, ...of(options, variable) };
  };
}

/** Any text that is not empty. */
export const string = kind<string>(() => ({ expected: "text", read: (value) => ({ value }) }));

interface IntegerOptions extends Common<number> {
  readonly min: number;
  readonly max: number;
  /** For documents; it does not change the value. */
  readonly unit?: string;
}

export const integer = kind<number, IntegerOptions>(({ min, max, unit }) => ({
  expected: `a whole number from ${min} to ${max}${unit === undefined ? "" : ` (${unit})`}`,
  read(text) {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? { value } : wrong(text);
  },
}));

/** A URL with a host and one of the protocols. The value is the unchanged text. */
export const url = kind<string, UrlOptions>(({ protocols }, variable) => ({
  fileVariable: `${variable}_FILE`,
  expected: `a URL, ${forms(protocols)}`,
  read(text) {
    const got = problemOf(text, protocols);
    return got === undefined ? { value: text } : { got };
  },
}));

/** One or more such URLs separated by commas. A comma in a password is written %2C. The value is the unchanged text. */
export const urls = kind<string, UrlOptions>(({ protocols }, variable) => ({
  fileVariable: `${variable}_FILE`,
  expected: `one or more URLs separated by commas, ${forms(protocols)}`,
  read(text) {
    const entries = entriesOf(text);
    if (entries.length === 0) return { got: "no URL" };
    const problems = entries.map((entry) => problemOf(entry, protocols));
    const index = problems.findIndex((problem) => problem !== undefined);
    if (index < 0) return { value: text };
    const place = entries.length === 1 ? "" : `as number ${index + 1} of ${entries.length} `;
    return { got: `${place}${problems[index]}` };
  },
}));

const redisServer = ["redis:", "rediss:"];
const redisCluster = ["redis+cluster:", "rediss+cluster:"];

/** One Redis, or nodes of a Redis Cluster separated by commas. A comma in a password is written %2C. */
export const redisUrl = kind<string>((_options, variable) => ({
  fileVariable: `${variable}_FILE`,
  expected: `a URL, ${forms(redisServer)}, or nodes of a cluster separated by commas, ${forms(redisCluster)}`,
  read(text) {
    const entries = entriesOf(text);
    if (!isEncoded(text)) return { got: unencoded };
    if (entries.length > 1 && entries.every((entry) => isUrl(entry, redisServer)))
      return { got: `${entries.length} URLs of single servers` };
    if (isUrl(text, redisServer)) return { value: text };
    const [first, ...others] = entries;
    if (first === undefined || !entries.every((entry) => isUrl(entry, redisCluster))) return { got: hidden(text) };
    if (entries.some((entry) => !["", "/", "/0"].includes(new URL(entry).pathname)))
      return { got: "a cluster with the number of a database, which it does not have" };
    return others.every((entry) => hasAccountOf(first, entry))
      ? { value: text }
      : { got: "nodes that differ in protocol, user or password" };
  },
}));

/** A secret that is no URL, such as an API key: visible ASCII. NAME_FILE names its file. */
export const secret = kind<string>((_options, variable) => ({
  fileVariable: `${variable}_FILE`,
  expected: "visible ASCII characters",
  read: (text) => (/^[\x21-\x7e]+$/.test(text) ? { value: text } : { got: hidden(text) }),
}));

/** Texts separated by commas, without surrounding spaces and empty ones. */
export const list = kind<readonly string[]>(() => ({
  expected: "texts separated by commas",
  read: (text) => ({ value: Object.freeze(entriesOf(text)) }),
}));

/** IP addresses and networks (10.0.0.0/8) separated by commas. */
export const addresses = kind<readonly string[]>(() => ({
  expected: "IP addresses or networks separated by commas",
  read(text) {
    const entries = entriesOf(text);
    return entries.every(isNetwork) ? { value: Object.freeze(entries) } : wrong(text);
  },
}));

/** One of several words, case-sensitive. */
export function choice<const Word extends string>(
  variable: string,
  description: string,
  { of, default: standard }: Common<NoInfer<Word>> & { readonly of: readonly Word[] },
): Setting<Word> {
  const read = (text: string) => {
    const value = of.find((word) => word === text);
    return value === undefined ? wrong(text) : { value };
  };
  return { variable, description, default: standard, expected: `one of ${of.join(", ")}`, read };
}

/** Some of several words, separated by commas, case-sensitive. Each once, in the order of `of`. Default: all. */
export function subset<const Word extends string>(
  variable: string,
  description: string,
  { of, default: standard = of }: { readonly of: readonly Word[]; readonly default?: readonly NoInfer<Word>[] },
): Setting<readonly Word[]> {
  return {
    variable,
    description,
    default: standard,
    expected: `some of ${of.join(", ")}, separated by commas`,
    read(text) {
      const entries = entriesOf(text);
      const strange = entries.find((entry) => !of.some((word) => word === entry));
      if (strange !== undefined || entries.length === 0) return wrong(strange ?? text);
      return { value: Object.freeze(of.filter((word) => entries.includes(word))) };
    },
  };
}

function entriesOf(text: string): string[] {
  const entries = text.split(",").map((entry) => entry.trim());
  return entries.filter((entry) => entry !== "");
}

function isNetwork(entry: string): boolean {
  const [address = "", prefix = "0", ...more] = entry.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}

function forms(protocols: readonly string[]): string {
  return protocols.map((protocol) => `${protocol}//…`).join(" or ");
}

/** What to print instead of a URL that cannot be used; undefined: it can. */
function problemOf(text: string, protocols: readonly string[]): string | undefined {
  if (!isUrl(text, protocols)) return hidden(text);
  if (!isEncoded(text)) return unencoded;
  try {
    if (text.startsWith("mysql:")) tlsOf(text);
    return undefined;
  } catch (error) {
    return `one that is not valid: ${reasonOf(error)}`;
  }
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  const parsed = URL.parse(text);
  // The driver of Redis takes REDISS: for a protocol without TLS.
  return parsed !== null && parsed.host !== "" && protocols.some((protocol) => text.startsWith(protocol));
}

const unencoded = "one with a % that does not begin a code; in a password it is written %25";

/** The drivers decode user and password. */
function isEncoded(text: string): boolean {
  try {
    decodeURI(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a node is connected to in the same way as the first; it need not repeat user and password. */
function hasAccountOf(first: string, node: string): boolean {
  const [one, other] = [new URL(first), new URL(node)];
  const repeats = other.username === one.username && other.password === one.password;
  return other.protocol === one.protocol && (repeats || (other.username === "" && other.password === ""));
}

/** A wrong text as it is printed. Hides what looks like a URL: it may contain a password. */
function wrong(text: string): { readonly got: string } {
  return { got: /@|:\/\//.test(text) || text.length > 60 ? hidden(text) : JSON.stringify(text) };
}

function hidden(text: string): string {
  const protocol = /^[a-z][a-z+]*:(?=\/\/)/.exec(text)?.[0];
  const what = protocol === undefined ? "a text" : `${protocol}// and more,`;
  return `${what} ${text.length} characters long (not shown: it may contain a password)`;
}

/** The settings that every app of a system shares: the servers, and what separates this system from others. */
export const systemSettings = {
  amqpUrl: urls("AMQP_URL", "the message broker, each node of a cluster", { protocols: ["amqp:", "amqps:"] }),
  databaseWriteUrl: url("DATABASE_WRITE_URL", "the database's write endpoint", { protocols: ["mysql:"] }),
  databaseReadUrl: urls("DATABASE_READ_URL", "the database's read endpoint, each server of several", {
    protocols: ["mysql:"],
  }),
  redisUrl: redisUrl("REDIS_URL", "the Redis or Valkey of the rankings", {}),
  namespace: string("NAMESPACE", "prefix of queues and Redis keys; separates several systems on the same servers", {
    default: "tally",
  }),
  rankingShards: integer(
    "RANKING_SHARDS",
    "number of Redis hash slots for the rankings of a domain that has none yet; `tally rebuild --shards` changes it, " +
      "and all apps follow the data",
    { min: 1, max: 1024, default: 1 },
  ),
  logLevel: choice("LOG_LEVEL", "the lowest level that is logged", {
    of: ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
    default: "info",
  }),
  otlpEndpoint: url(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "where the steps of traced events are sent, as OTLP over HTTP; none: they are lines of the log",
    { protocols: ["http:", "https:"], default: "" },
  ),
  host: string("HOST", "the address on which the app listens, for clients and operators", { default: "0.0.0.0" }),
  stopWithinMs: integer("STOP_WITHIN_MS", "how long a stop may take before the process exits anyway", {
    min: 100,
    max: 600_000,
    unit: "ms",
    default: 20_000,
  }),
} as const;

/** The domains that an app serves, of all that exist. */
export const domainsSetting = <const Name extends string>(names: readonly Name[]) =>
  subset("DOMAINS", "the domains that this app serves; absent: all", { of: names });

/** Whether a change feed is published. */
export const changeFeedSetting = choice(
  "CHANGE_FEED",
  "publish stored changes and alerts as CloudEvents; the same in writers and rankers",
  { of: ["off", "on"], default: "off" },
);

/** What the rankings keep of mirrored counts beside the counts of all time. The first measure is always kept. */
export const seriesSettings = <const Measure extends string>(measures: readonly [Measure, ...Measure[]]) =>
  ({
    windows: subset("WINDOWS", "the windows of live rankings: all time, and each of the last days", {
      of: ["all", "day"],
    }),
    by: subset("BY", "the measures of live rankings; the same in writers and rankers", {
      of: measures,
      default: [measures[0]],
    }),
  }) as const;
