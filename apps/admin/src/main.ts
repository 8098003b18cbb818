import { Command } from "commander";
import { auditCommand } from "./audit/audit-command.ts";
import { exitForError } from "./command-error.ts";
import { deadLettersCommand } from "./dead-letters/dead-letters-command.ts";
import { keysCommand } from "./keys/keys-command.ts";
import { migrateCommand } from "./migrate-command.ts";
import { newDomainCommand } from "./new-domain/new-domain-command.ts";
import { planCommand } from "./plan/plan-command.ts";
import { rebuildCommand, repairCommand } from "./recovery-commands.ts";

const program = new Command("tally")
  .description("operates a tally system; the environment names its servers, as for the apps")
  .showHelpAfterError("(--help lists the flags)")
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
for (const command of [
  auditCommand(),
  repairCommand(),
  rebuildCommand(),
  deadLettersCommand(),
  keysCommand(),
  migrateCommand(),
  planCommand(),
  newDomainCommand(),
]) {
  program.addCommand(command.copyInheritedSettings(program));
  for (const inner of command.commands) inner.copyInheritedSettings(command);
}
try {
  await program.parseAsync();
} catch (error) {
  exitForError(error);
}
