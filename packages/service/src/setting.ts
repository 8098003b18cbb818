import { isIP } from "node:net";

export type SettingValue = string | number | readonly string[];

/** One environment variable: what is expected in it and what it becomes. Plain data, so that documents can be made of it. */
export interface Setting<Value extends SettingValue = SettingValue> {
  readonly variable: string;
  readonly expected: string;
  /** Absent: the variable must be set. */
  readonly default: Value | undefined;
  /** What it is for, in one line. */
  readonly description: string;
  /** The variable that may name a file with the text in its place. Absent: the text is no secret, and there is none. */
  readonly fileVariable?: string;
  readonly read: (text: string) => Reading<Value>;
}

/** What a text became, or how to name it in a message: never with a secret in it. */
type Reading<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly got: string };

interface Common<Value> {
  readonly default?: Value;
  readonly description: string;
}

/** Any text that is not empty. */
export function string(variable: string, o: Common<string>): Setting<string> {
  return { ...facts(variable, o), expected: "text", read: accepted };
}

/** A whole number from `min` to `max`; `unit` is told to the reader, the number is given as it is. */
export function integer(
  variable: string,
  o: Common<number> & { readonly min: number; readonly max: number; readonly unit?: string },
): Setting<number> {
  const range = `a whole number from ${o.min} to ${o.max}`;
  return {
    ...facts(variable, o),
    expected: o.unit === undefined ? range : `${range} (${o.unit})`,
    read(text) {
      const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
      return value >= o.min && value <= o.max ? accepted(value) : refused(text);
    },
  };
}

/** A URL with a host and one of the protocols, each written with its colon. It stays the text that was given. */
export function url(
  variable: string,
  o: Common<string> & { readonly protocols: readonly [string, ...string[]] },
): Setting<string> {
  return {
    ...facts(variable, o),
    ...secret(variable),
    expected: `a URL, ${forms(o.protocols)}`,
    read: (text) => (isUrl(text, o.protocols) ? accepted(text) : { ok: false, got: hidden(text) }),
  };
}

/**
 * One or more such URLs between commas, spaces around them and empty ones allowed. A comma in a password is written %2C. It
 * stays the text that was given.
 */
export function urls(
  variable: string,
  o: Common<string> & { readonly protocols: readonly [string, ...string[]] },
): Setting<string> {
  return {
    ...facts(variable, o),
    ...secret(variable),
    expected: `one or more URLs between commas, ${forms(o.protocols)}`,
    read(text) {
      const entries = entriesOf(text);
      if (entries.length === 0) return { ok: false, got: "no URL" };
      const wrong = entries.findIndex((entry) => !isUrl(entry, o.protocols));
      if (wrong < 0) return accepted(text);
      const place = entries.length === 1 ? "" : `as number ${wrong + 1} of ${entries.length} `;
      return { ok: false, got: place + hidden(entries[wrong] ?? "") };
    },
  };
}

/** Texts between commas, spaces around them and empty ones dropped. */
export function list(variable: string, o: Common<readonly string[]>): Setting<readonly string[]> {
  return {
    ...facts(variable, o),
    expected: "texts between commas",
    read(text) {
      return accepted(Object.freeze(entriesOf(text)));
    },
  };
}

/** IP addresses and networks (10.0.0.0/8) between commas. */
export function addresses(variable: string, o: Common<readonly string[]>): Setting<readonly string[]> {
  return {
    ...facts(variable, o),
    expected: "IP addresses or networks between commas",
    read(text) {
      const entries = entriesOf(text);
      return entries.every(isNetwork) ? accepted(Object.freeze(entries)) : refused(text);
    },
  };
}

/** One of some words, written exactly so. */
export function choice<const Word extends string>(
  variable: string,
  o: Common<NoInfer<Word>> & { readonly of: readonly Word[] },
): Setting<Word> {
  return {
    ...facts(variable, o),
    expected: `one of ${o.of.join(", ")}`,
    read(text) {
      const word = o.of.find((candidate) => candidate === text);
      return word === undefined ? refused(text) : accepted(word);
    },
  };
}

function entriesOf(text: string): string[] {
  const entries = text.split(",").map((entry) => entry.trim());
  return entries.filter((entry) => entry !== "");
}

function isNetwork(entry: string): boolean {
  const [address = "", prefix, ...more] = entry.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    bits > 0 && more.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  );
}

function forms(protocols: readonly string[]): string {
  return protocols.map((protocol) => `${protocol}//…`).join(" or ");
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  const parsed = URL.parse(text);
  return parsed !== null && parsed.host !== "" && protocols.includes(parsed.protocol);
}

function facts<Value>(variable: string, o: Common<Value>) {
  return { variable, default: o.default, description: o.description };
}

/** A URL may hold a password. */
function secret(variable: string) {
  return { fileVariable: `${variable}_FILE` };
}

function accepted<Value>(value: Value): Reading<Value> {
  return { ok: true, value };
}

function refused(text: string): Reading<never> {
  // Somebody may have put a URL with a password into the wrong variable.
  return { ok: false, got: /@|:\/\//.test(text) || text.length > 60 ? hidden(text) : JSON.stringify(text) };
}

function hidden(text: string): string {
  const protocol = /^[a-z][a-z+]*:(?=\/\/)/.exec(text)?.[0];
  const what = protocol === undefined ? "a text" : `${protocol}// and more,`;
  return `${what} ${text.length} characters long (not shown: it may hold a password)`;
}
