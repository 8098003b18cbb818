import { readFileSync } from "node:fs";
import type { ConfigProblem } from "./config-error.ts";
import type { Setting } from "./setting.ts";

type Environment = Readonly<Record<string, string | undefined>>;
type SettingText = { readonly text: string } | { readonly problem: ConfigProblem };

/**
 * The text of a setting: its variable's, or where it may hold a secret that of the file that `NAME_FILE` names, without the line break at its
 * end. Empty when neither is set.
 */
export function settingText({ variable, fileVariable }: Setting, environment: Environment): SettingText {
  const text = environment[variable] ?? "";
  const file = fileVariable === undefined ? "" : (environment[fileVariable] ?? "");
  if (fileVariable === undefined || file === "") return { text };
  if (text !== "") {
    return { problem: { variable: `${variable} and ${fileVariable}`, expected: "one of the two", got: "both" } };
  }
  const problem = (got: string): SettingText => ({
    problem: { variable: fileVariable, expected: "the path of a file with the value", got },
  });
  try {
    const content = readFileSync(file, "utf8").replace(/\r?\n$/, "");
    return content === "" ? problem("an empty file") : { text: content };
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
    // Not the path: somebody may have put the secret itself here.
    return problem(`one that cannot be read (${String(code)})`);
  }
}
