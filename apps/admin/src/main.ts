import { Command } from "commander";
import { auditCommand } from "./audit/audit-command.ts";
import { deadLettersCommand } from "./dead-letters/dead-letters-command.ts";
import { exitForFault } from "./exit-for-fault.ts";
import { keysCommand } from "./keys/keys-command.ts";
import { migrateCommand } from "./migrate-command.ts";
import { newDomainCommand } from "./new-domain/new-domain-command.ts";
import { planCommand } from "./plan/plan-command.ts";
import { rebuildCommand } from "./recovery/rebuild-command.ts";
import { repairCommand } from "./recovery/repair-command.ts";

const program = new Command("tally")
  .description("looks after a tally system; where its servers are comes from the environment, as for the apps")
  .showHelpAfterError("(--help tells more)")
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
  exitForFault(error);
}
