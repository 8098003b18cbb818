import { isIP } from "node:net";

export type SettingValue = string | number | readonly string[];

/** One environment variable: plain data, so that documents can be generated from it. */
export interface Setting<Value extends SettingValue = SettingValue> {
  readonly variable: string;
  readonly expected: string;
  /** Absent: the variable must be set. */
  readonly default: Value | undefined;
  /** Its purpose, in one line. */
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

/** Any text that is not empty. */
export function string(variable: string, description: string, options: Common<string>): Setting<string> {
  return { ...base(variable, description, options), expected: "text", read: (value) => ({ value }) };
}

/** A whole number from `min` to `max`. `unit` is for documents; it does not change the value. */
export function integer(
  variable: string,
  description: string,
  options: Common<number> & { readonly min: number; readonly max: number; readonly unit?: string },
): Setting<number> {
  const { min, max, unit } = options;
  return {
    ...base(variable, description, options),
    expected: `a whole number from ${min} to ${max}${unit === undefined ? "" : ` (${unit})`}`,
    read(text) {
      const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? { value } : wrong(text);
    },
  };
}

/** A URL with a host and one of the protocols. The value is the unchanged text. */
export function url(variable: string, description: string, options: UrlOptions): Setting<string> {
  return {
    ...base(variable, description, options),
    fileVariable: `${variable}_FILE`,
    expected: `a URL, ${forms(options.protocols)}`,
    read: (text) => (isUrl(text, options.protocols) ? { value: text } : { got: hidden(text) }),
  };
}

/** One or more such URLs separated by commas. A comma in a password is written %2C. The value is the unchanged text. */
export function urls(variable: string, description: string, options: UrlOptions): Setting<string> {
  return {
    ...base(variable, description, options),
    fileVariable: `${variable}_FILE`,
    expected: `one or more URLs separated by commas, ${forms(options.protocols)}`,
    read(text) {
      const entries = entriesOf(text);
      if (entries.length === 0) return { got: "no URL" };
      const index = entries.findIndex((entry) => !isUrl(entry, options.protocols));
      if (index < 0) return { value: text };
      const place = entries.length === 1 ? "" : `as number ${index + 1} of ${entries.length} `;
      return { got: place + hidden(entries[index] ?? "") };
    },
  };
}

/** Texts separated by commas, without surrounding spaces and empty ones. */
export function list(
  variable: string,
  description: string,
  options: Common<readonly string[]>,
): Setting<readonly string[]> {
  return {
    ...base(variable, description, options),
    expected: "texts separated by commas",
    read: (text) => ({ value: Object.freeze(entriesOf(text)) }),
  };
}

/** IP addresses and networks (10.0.0.0/8) separated by commas. */
export function addresses(
  variable: string,
  description: string,
  options: Common<readonly string[]>,
): Setting<readonly string[]> {
  return {
    ...base(variable, description, options),
    expected: "IP addresses or networks separated by commas",
    read(text) {
      const entries = entriesOf(text);
      return entries.every(isNetwork) ? { value: Object.freeze(entries) } : wrong(text);
    },
  };
}

/** One of several words, case-sensitive. */
export function choice<const Word extends string>(
  variable: string,
  description: string,
  options: Common<NoInfer<Word>> & { readonly of: readonly Word[] },
): Setting<Word> {
  return {
    ...base(variable, description, options),
    expected: `one of ${options.of.join(", ")}`,
    read(text) {
      const value = options.of.find((word) => word === text);
      return value === undefined ? wrong(text) : { value };
    },
  };
}

function base<Value>(variable: string, description: string, { default: preset }: Common<Value>) {
  return { variable, description, default: preset };
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

function isUrl(text: string, protocols: readonly string[]): boolean {
  const parsed = URL.parse(text);
  return parsed !== null && parsed.host !== "" && protocols.includes(parsed.protocol);
}

/** A wrong text as it is printed. Hides what looks like a URL: it may be in the wrong variable and contain a password. */
function wrong(text: string): { readonly got: string } {
  return { got: /@|:\/\//.test(text) || text.length > 60 ? hidden(text) : JSON.stringify(text) };
}

function hidden(text: string): string {
  const protocol = /^[a-z][a-z+]*:(?=\/\/)/.exec(text)?.[0];
  const what = protocol === undefined ? "a text" : `${protocol}// and more,`;
  return `${what} ${text.length} characters long (not shown: it may contain a password)`;
}
