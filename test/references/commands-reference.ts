import { exitCodesOf, tallyProgram } from "@tally/admin";
import { table } from "./table.ts";

type Command = ReturnType<typeof tallyProgram>;

/** docs/commands.md. */
export const commandTables = () => ({
  Commands: table(["command", "what it does", "exit code 1", "exit code 3"], commandRows(tallyProgram())),
});

function commandRows(program: Command): readonly (readonly string[])[] {
  return leavesOf(program, "").map(({ name, command }) => {
    const codes = exitCodesOf(command);
    if (codes === undefined) throw new Error(`${name}: expected exit codes, see newCommand`);
    const inner = command.commands.length === 0 ? [] : ["<domain>"];
    const usage = [name, ...inner, ...command.registeredArguments.map((argument) => argumentText(argument))].join(" ");
    return [`\`${usage}\``, command.description(), codes[1] ?? "", codes[3] ?? ""];
  });
}

function leavesOf(group: Command, path: string): readonly { readonly name: string; readonly command: Command }[] {
  return group.commands.flatMap((command) => {
    const name = `${path}${command.name()}`;
    return command.commands.length > 0 && exitCodesOf(command) === undefined
      ? leavesOf(command, `${name} `)
      : [{ name, command }];
  });
}

function argumentText(argument: { name(): string; readonly required: boolean; readonly variadic: boolean }): string {
  const name = argument.variadic ? `${argument.name()}…` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}
