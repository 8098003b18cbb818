import { Command } from "commander";
import { listCommand } from "./list-command.ts";
import { discardCommand, replayCommand } from "./settle-commands.ts";
import { showCommand } from "./show-command.ts";

/** tally dead-letters */
export function deadLettersCommand(): Command {
  const command = new Command("dead-letters").description("events and messages that cannot be stored as they are");
  for (const one of [listCommand(), showCommand(), replayCommand(), discardCommand()]) command.addCommand(one);
  return command;
}
