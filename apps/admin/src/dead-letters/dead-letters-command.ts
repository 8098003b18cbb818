import { Command } from "commander";
import { discardCommand } from "./discard-command.ts";
import { listCommand } from "./list-command.ts";
import { replayCommand } from "./replay-command.ts";
import { showCommand } from "./show-command.ts";

/** tally dead-letters */
export function deadLettersCommand(): Command {
  const command = new Command("dead-letters").description("events and messages that could not be stored as they are");
  for (const one of [listCommand(), showCommand(), replayCommand(), discardCommand()]) {
    command.addCommand(one);
  }
  return command;
}
