import { Command } from "commander";
import { auditCommand } from "./audit/audit-command.ts";
import { deadLettersCommand } from "./dead-letters/letters.ts";
import { exitCodes } from "./command.ts";
import { exportCommand } from "./export/export-command.ts";
import { importCommand } from "./import/import-command.ts";
import { keysCommand } from "./keys/keys-commands.ts";
import { migrateCommand } from "./migrate-command.ts";
import { planCommand } from "./plan/plan-command.ts";
import { rebuildCommand, repairCommand } from "./recovery-commands.ts";
import { retentionCommand } from "./retention/retention-command.ts";
import { sendCommand } from "./send/send-command.ts";
import { statusCommand } from "./status/status-command.ts";
import { topCommand } from "./top/top-command.ts";

/** The command `tally` with all its commands. Wrong usage ends the process with 2. */
export function tallyProgram(): Command {
  const program = new Command("tally")
    .description("operates a tally system; the environment names its servers, as for the apps")
    .showHelpAfterError("(--help lists the flags)")
    // As every other error of this command.
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, "tally: ")) })
    .exitOverride((error) => process.exit(error.exitCode === 0 ? exitCodes.ok : exitCodes.usage));
  for (const command of [
    statusCommand(),
    topCommand(),
    sendCommand(),
    importCommand(),
    exportCommand(),
    auditCommand(),
    repairCommand(),
    rebuildCommand(),
    deadLettersCommand(),
    keysCommand(),
    migrateCommand(),
    retentionCommand(),
    planCommand(),
  ]) {
    program.addCommand(command.copyInheritedSettings(program));
    for (const inner of command.commands) inner.copyInheritedSettings(command);
  }
  return program;
}
