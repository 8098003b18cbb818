import type { Command } from "commander";

/** The exit codes of all commands. */
export const exitCodes = {
  ok: 0,
  /** The command did its work and found something, such as a difference or a rejected line; or it could not do all of its work. */
  finding: 1,
  usage: 2,
  /** A server does not respond, or is too busy for too long; for `audit` also: events are still under way. */
  unreachable: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What 1 and 3 mean for a command; absent: it never exits so. 0 and 2 mean the same for all. */
export interface OwnCodes {
  readonly 1?: string;
  readonly 3?: string;
}

const codesOfCommands = new WeakMap<Command, OwnCodes>();

/** Documents the exit codes of a command in its help and in `commandTable`. */
export function withExitCodes(command: Command, codes: OwnCodes): Command {
  codesOfCommands.set(command, codes);
  const [finding, unreachable] = [codes[1], codes[3]];
  const texts = [
    "0 done",
    ...(finding === undefined ? [] : [`1 ${finding}`]),
    "2 wrong usage",
    ...(unreachable === undefined ? [] : [`3 ${unreachable}`]),
  ];
  return command.addHelpText("after", `\nExit code: ${texts.join(", ")}.`);
}

/** Every command below `program` as a row of a Markdown table: command, purpose, exit codes 1 and 3. A test compares docs/operations.md with it. */
export function commandTable(program: Command): readonly string[] {
  return leavesOf(program, "").map(({ name, command }) => {
    const codes = codesOfCommands.get(command);
    if (codes === undefined) throw new Error(`${name}: expected exit codes, see withExitCodes`);
    const inner = command.commands.length === 0 ? [] : ["<domain>"];
    const usage = [name, ...inner, ...command.registeredArguments.map((argument) => argumentText(argument))].join(" ");
    return `| \`${usage}\` | ${command.description()} | ${codes[1] ?? ""} | ${codes[3] ?? ""} |`;
  });
}

function leavesOf(group: Command, path: string): readonly { readonly name: string; readonly command: Command }[] {
  return group.commands.flatMap((command) => {
    const name = `${path}${command.name()}`;
    return command.commands.length > 0 && !codesOfCommands.has(command)
      ? leavesOf(command, `${name} `)
      : [{ name, command }];
  });
}

function argumentText(argument: { name(): string; readonly required: boolean; readonly variadic: boolean }): string {
  const name = argument.variadic ? `${argument.name()}…` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}
