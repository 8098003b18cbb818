import { exitForError } from "./command.ts";
import { tallyProgram } from "./program.ts";

// The reader of a pipe may stop early, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit();
  exitForError(error);
});

try {
  await tallyProgram().parseAsync();
} catch (error) {
  exitForError(error);
}
