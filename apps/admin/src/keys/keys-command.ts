import { Command } from "commander";
import { revokeCommand, rotateCommand } from "./change-commands.ts";
import { createCommand } from "./create-command.ts";
import { listCommand } from "./list-command.ts";

/** tally keys */
export function keysCommand(): Command {
  const command = new Command("keys").description("API keys of tills, stores, devices and teams");
  for (const one of [createCommand(), listCommand(), rotateCommand(), revokeCommand()]) command.addCommand(one);
  return command;
}
