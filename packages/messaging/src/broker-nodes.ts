import { unescape } from "node:querystring";
import type { Options } from "amqplib";

/** The nodes of one broker, of which one at a time is to be connected to. */
export interface BrokerNodes {
  /** For amqplib's connect, whose recovery knows one address only but reads it anew at each attempt: `next` changes it. */
  readonly target: Options.Connect;
  /** Host and port of the target, for the log. */
  readonly current: string;
  readonly next: () => void;
}

// A peer that is gone without a word is noticed after two of these.
const heartbeatDefaultS = 10;

/** Takes URLs between commas. Begins with a random one, so that many clients spread over the nodes. */
export function brokerNodes(urls: string): BrokerNodes {
  const entries = urls.split(",").map((entry) => entry.trim());
  const nodes = entries.filter((entry) => entry !== "").map(optionsOf);
  if (nodes.length === 0) throw new TypeError("a broker needs a URL");
  let index = Math.floor(Math.random() * nodes.length);
  const target: Options.Connect = { ...nodes[index] };
  return {
    target,
    get current() {
      return `${target.hostname}:${target.port}`;
    },
    next() {
      index = (index + 1) % nodes.length;
      Object.assign(target, nodes[index]);
    },
  };
}

// What amqplib makes of a URL itself, all fields in each, so that nothing of one node stays in the next.
function optionsOf(text: string): Options.Connect {
  const url = URL.parse(text);
  if (url === null) throw new TypeError("a broker's URL is none (not shown: it may hold a password)");
  const { protocol, hostname, port, username, password, pathname, searchParams } = url;
  const number = (name: string, preset: number): number => Number(searchParams.get(name) ?? preset);
  const tls = protocol === "amqps:";
  const anonymous = username === "" && password === "";
  return {
    protocol: protocol.slice(0, -1),
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (tls ? 5671 : 5672) : Number(port),
    username: anonymous ? "guest" : unescape(username),
    password: anonymous ? "guest" : unescape(password),
    // amqplib decodes it; empty is "/".
    vhost: pathname.slice(1),
    heartbeat: number("heartbeat", heartbeatDefaultS),
    frameMax: number("frameMax", 131_072),
    channelMax: number("channelMax", 0),
  };
}
