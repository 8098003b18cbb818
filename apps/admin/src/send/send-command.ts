import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { domains } from "@tally/domains";
import { fieldIn, IdempotencyKey, InvalidInput, type Domain, type EntryFields } from "@tally/contract";
import { untilDrained } from "@tally/reconcile";
import { number } from "@tally/runtime/flag-values";
import { withProgress } from "@tally/runtime/progress";
import { Command, Option } from "commander";
import { Check } from "typebox/value";
import { CommandError, usageError, exitCodes, newCommand } from "../command.ts";
import { fileDomainNamed, jsonFlag, print, type JsonFlag } from "../flags.ts";
import { bulkRouteOf, cellValue, expectationOf, fieldsOf } from "../entries/entry-fields.ts";
import { keyColumn, parseEntry, routesOf } from "../entries/entry-fields.ts";
import { fittingRoute, requestOf } from "../entries/entry-request.ts";
import { gatewayFlag, gatewayOf, textIn } from "../gateway/gateway.ts";
import type { Gateway, GatewayFlags, GatewayRequest } from "../gateway/gateway.ts";

interface SendFlags extends JsonFlag, GatewayFlags {
  readonly key?: string;
  readonly wait?: number;
  readonly part?: readonly string[];
}

const giveUpAfterMs = 5000;
const notShown = "a key that is limited to stores is not told why";
// The names of all other flags are those of the domain's fields.
const ownFlags = new Set(["key", "wait", "part", "json", "url"]);

/** tally send DOMAIN */
export function sendCommand(): Command {
  const command = newCommand("send", {
    1: "the gateway or a writer rejected the event, or it was not ranked in time",
    3: "the gateway does not respond",
  });
  for (const { name, otherFiles = {} } of domains)
    for (const [own, { route }] of [[name, {}] as const, ...Object.entries(otherFiles)])
      if (route?.kind !== "put") command.addCommand(sendOf(own, fileDomainNamed(own)));
  return command
    .description("sends one event of a domain to a gateway and prints its event id")
    .addHelpText("after", "\nWithout a field, the command reads a JSON object with all fields from stdin.");
}

/** One command for each kind of events, so that its help lists the fields. */
function sendOf(name: string, domain: Domain): Command {
  const command = new Command(name).description(`sends one event of ${name}`);
  for (const [field, expected] of expectations(domain)) command.option(`--${field} <value>`, expected);
  const form = domain.routes.find((route) => route.kind === "form");
  if (form !== undefined) command.option("--part <name=value...>", "a part of a form, as name=text or name=@file");
  return command
    .option("--key <text>", "its Idempotency-Key; equal key and content: the same event (default: its own, or new)")
    .addOption(
      new Option("--wait [seconds]", "wait until it is ranked, 30 s by default").argParser(number).preset("30"),
    )
    .addOption(jsonFlag)
    .addOption(gatewayFlag)
    .action((flags: SendFlags) => send(domain, form?.path ?? "", flags));
}

/** `formPath`: of the domain's form; without one there is no --part. */
async function send(domain: Domain, formPath: string, flags: SendFlags): Promise<void> {
  const gateway = gatewayOf(flags);
  const { [keyColumn]: own, ...entry } = flags.part === undefined ? await givenEntry(domain, flags) : {};
  const key = flags.key ?? own ?? randomUUID();
  if (!Check(IdempotencyKey, key)) throw new InvalidInput(keyColumn, expectationOf(IdempotencyKey), key);
  const request = flags.part === undefined ? entryRequest(domain, entry, key) : await formRequest(formPath, flags.part);
  const headers = { ...request.headers, "idempotency-key": key };
  const sent = gateway.send({ ...request, headers }, giveUpAfterMs);
  const again = `It may be stored: to send the same event again, add --key ${key}`;
  const { status, eventId: eventID, message } = await sent.catch(adding(again));
  if (status >= 300 || eventID === null) throw new CommandError(`${domain.name}: ${message}`);
  const waiting = flags.wait === undefined ? undefined : outcomeOf(gateway, eventID, flags.wait * 1000);
  const outcome = await waiting?.catch(adding(`It was accepted with the event id ${eventID}`));
  if (outcome?.ranked === false) process.exitCode = exitCodes.finding;
  const { ranked, rejected } = outcome ?? {};
  const seen = rejected === undefined ? (ranked === true ? "ranked" : "not ranked yet") : `rejected: ${rejected}`;
  const text = outcome === undefined ? eventID : `${eventID} ${seen}`;
  print(flags, { eventID, domain: domain.name, status, ...outcome }, `${text}\n`);
}

/** Adds a line to the error of a gateway that does not respond. */
function adding(line: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof CommandError) || error.exitCode !== exitCodes.unreachable) throw error;
    throw new CommandError(`${error.message}\n${line}`, error.exitCode);
  };
}

async function givenEntry(domain: Domain, flags: SendFlags): Promise<EntryFields> {
  const given = Object.entries(flags).filter(([name]) => !ownFlags.has(name));
  return given.length === 0 ? readStdinEntry(domain) : entryOf(domain, given);
}

function entryRequest(domain: Domain, entry: EntryFields, key: string): GatewayRequest {
  const bulk = bulkRouteOf(domain);
  const { path, body } =
    bulk === undefined
      ? requestOf(domain, entry)
      : { path: fittingRoute(domain, [bulk], entry).path, body: JSON.stringify([{ ...entry, [keyColumn]: key }]) };
  return { method: "POST", path, body, headers: { "content-type": "application/json" } };
}

function entryOf(domain: Domain, given: readonly (readonly [string, unknown])[]): EntryFields {
  const schemas = Object.assign({}, ...routesOf(domain).map(fieldsOf));
  return Object.fromEntries(
    given.map(([name, value]) => {
      const text = String(value);
      // JSON is accepted beside the short form of a CSV cell.
      const form = /^\s*[[{]/.test(text) ? undefined : domain.files?.cells?.[name];
      return [name, form === undefined ? cellValue(name, schemas[name], text) : form.read(text)];
    }),
  );
}

function expectations(domain: Domain): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const route of routesOf(domain))
    for (const [name, schema] of Object.entries(fieldsOf(route)))
      if (/^\w+$/.test(name) && name !== keyColumn) found.set(name, found.get(name) ?? expectationOf(schema));
  return found;
}

/** The fields of an event as a JSON object on stdin, which must not be a terminal. */
async function readStdinEntry(domain: Domain): Promise<EntryFields> {
  if (process.stdin.isTTY)
    throw usageError(
      `${domain.name}: expected its fields as flags, or as JSON on stdin; see tally send ${domain.name} --help`,
    );
  const json = await textOf(process.stdin);
  const entry = parseEntry(json);
  if (entry !== undefined) return entry;
  throw usageError(`stdin: expected a JSON object with the fields of the event, got ${json.slice(0, 60)}`);
}

async function formRequest(path: string, parts: readonly string[]): Promise<GatewayRequest> {
  const form = new FormData();
  for (const part of parts) {
    const [, name, isFile, value = ""] = /^([^=]+)=(@?)([^]*)$/.exec(part) ?? [];
    if (name === undefined) throw usageError(`--part: expected name=text or name=@file, got ${part.slice(0, 60)}`);
    if (isFile === "@") form.append(name, new Blob([await readFile(value)]), basename(value));
    else form.append(name, value);
  }
  return { method: "POST", path, body: form };
}

/** Waits until an event is counted in the rankings or rejected, at most `withinMs`. */
function outcomeOf(gateway: Gateway, eventId: string, withinMs: number) {
  const deadline = performance.now() + withinMs;
  return withProgress(async (progress) => {
    let event: unknown;
    const look = async () => {
      const within = Math.max(1000, deadline - performance.now());
      const { status, json, message } = await gateway.send({ method: "GET", path: `/events/${eventId}` }, within);
      if (status === 403) throw usageError(`${eventId} was accepted; --wait: ${message} (TALLY_API_KEY)`);
      event = json;
      const isDone = fieldIn(event, "ranked") === true || fieldIn(event, "state") === "rejected";
      return { progress: "", underWay: async () => (isDone ? [] : ["the event is not ranked yet"]) };
    };
    const onProgress = ([first]: readonly string[]): void => progress.note(`waits, because ${first}`);
    await untilDrained(look, { withinMs, everyMs: 100, onProgress });
    const rejected = fieldIn(event, "state") === "rejected" && { rejected: textIn(event, "reason") ?? notShown };
    return { ranked: fieldIn(event, "ranked") === true, ...rejected };
  });
}
