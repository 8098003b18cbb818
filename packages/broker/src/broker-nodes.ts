import { unescape } from "node:querystring";
import type { Options } from "amqplib";
import { MessagingError } from "./declare-queues.ts";

// A peer that vanished without closing is detected after two of these.
const heartbeatDefaultS = 10;

/** The nodes of one broker. A client connects to one at a time. Takes URLs separated by commas. Starts with a random
 * one, so that clients spread. Throws MESSAGING_URL. */
export function brokerNodes(urls: string) {
  const entries = urls.split(",").map((entry) => entry.trim());
  const nodes = entries.filter((entry) => entry !== "").map(optionsOf);
  if (nodes.length === 0) throw new MessagingError("MESSAGING_URL", "the list is empty");
  let index = Math.floor(Math.random() * nodes.length);
  const target: Options.Connect = { ...nodes[index] };
  return {
    /** For amqplib's connect: its recovery reads this one address again for each attempt. `next` changes it. */
    target,
    get current(): string {
      return `${target.hostname}:${target.port}`;
    },
    next: (): void => {
      index = (index + 1) % nodes.length;
      Object.assign(target, nodes[index]);
    },
  };
}

// What amqplib itself makes of a URL. Sets every field, so that no value of one node stays in the next.
function optionsOf(text: string): Options.Connect {
  const url = URL.parse(text);
  if (url === null) throw new MessagingError("MESSAGING_URL", "not shown: it may contain a password");
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
